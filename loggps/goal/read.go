package goal

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/gopvas/gopvas/loggps/graph"
)

// ReadFile reads a graph from a file.
func ReadFile(name string) (*graph.Graph, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("goal: %w", err)
	}
	defer f.Close()
	return Read(f, name)
}

// Read reads a graph. The name is for messages. Mistakes in the input are *Error, with ErrNoGoal as the
// cause where it does not begin with num_ranks.
func Read(r io.Reader, name string) (*graph.Graph, error) {
	l, err := newLexer(r, name)
	if err != nil {
		return nil, err
	}
	p := &parser{lexer: l, labels: newLabels()}
	g, err := p.parse()
	if e, ok := errors.AsType[*Error](err); ok && p.b == nil && e.Err == nil {
		e.Err = ErrNoGoal
	}
	return g, err
}

func (p *parser) parse() (*graph.Graph, error) {
	for !p.eof {
		if err := p.nextLine(); err != nil {
			return nil, err
		}
		if err := p.parseLine(); err != nil {
			return nil, err
		}
	}
	return p.finish()
}

// parser makes a graph of tokens.
type parser struct {
	*lexer
	b      *graph.Builder // nil before num_ranks
	open   int            // the line that has begun the present rank, or 0
	labels *labels
	began  map[int]int // by rank, the line that has begun it
}

// parseLine takes all statements of a line.
func (p *parser) parseLine() error {
	for {
		tok, err := p.token()
		if err != nil || len(tok) == 0 {
			return err
		}
		switch {
		case p.open > 0:
			err = p.inRank(tok)
		case string(tok) == "num_ranks":
			err = p.numRanks()
		case string(tok) == "rank":
			err = p.rank()
		default:
			err = p.errorf("%q is outside of any rank; put it between rank R { and }", tok)
		}
		if err != nil {
			return err
		}
	}
}

func (p *parser) finish() (*graph.Graph, error) {
	switch {
	case p.b == nil:
		return nil, p.errorf("num_ranks is missing; begin the file with num_ranks N")
	case p.open > 0:
		p.line = p.open
		return nil, p.errorf("the rank that begins here never ends; add } after its last line")
	}
	return p.b.Graph()
}

func (p *parser) numRanks() error {
	if p.b != nil {
		return p.errorf("num_ranks is given a second time; leave one of them")
	}
	n, err := p.number("num_ranks", 1, graph.MaxRanks)
	if err != nil {
		return err
	}
	p.b = graph.NewBuilder(int(n))
	p.b.Name(p.file)
	p.began = map[int]int{}
	return p.b.Err()
}

func (p *parser) rank() error {
	if p.b == nil {
		return p.errorf("rank comes before num_ranks; begin the file with num_ranks N")
	}
	r, err := p.number("rank", 0, graph.MaxRanks)
	if err != nil {
		return err
	}
	if line, ok := p.began[int(r)]; ok {
		return p.errorf("rank %d has been given in line %d; put all its operations there", r, line)
	}
	if err := p.expect("{"); err != nil {
		return err
	}
	p.began[int(r)], p.open = p.line, p.line
	p.labels.clear()
	p.b.Rank(int(r))
	return p.check()
}

// check returns what the builder has to object as an error of this line.
func (p *parser) check() error {
	err := p.b.Err()
	if err == nil {
		return nil
	}
	if cycle, ok := errors.AsType[*graph.CycleError](err); ok {
		return &Error{File: p.file, Line: int(p.b.Op(cycle.Op).Site), Err: err,
			Msg: "this operation waits for itself through its dependencies; take one of them out"}
	}
	return &Error{File: p.file, Line: p.line, Msg: err.Error(), Err: err}
}

// inRank takes a statement that begins with a token.
func (p *parser) inRank(tok []byte) error {
	if tok[0] == '}' {
		p.open = 0
		p.b.EndRank()
		return p.check()
	}
	if op, ok := kindOf(tok); ok {
		return p.operation(op, nil)
	}
	if !isLetter(tok[0]) {
		return p.errorf("unexpected %q; want an operation, a label or }", tok)
	}
	label := tok
	next, err := p.token()
	if err != nil {
		return err
	}
	switch string(next) {
	case ":":
		tok, err := p.token()
		if err != nil {
			return err
		}
		kind, ok := kindOf(tok)
		if !ok {
			return p.errorf("unexpected %q after label %s; want send, recv or calc", tok, label)
		}
		return p.operation(kind, label)
	case "requires":
		return p.dependency(label, graph.Requires)
	case "irequires":
		return p.dependency(label, graph.Irequires)
	}
	return p.errorf("unexpected %q after %s; want send, recv, calc, LABEL:, LABEL requires LABEL or "+
		"LABEL irequires LABEL", next, label)
}

func kindOf(tok []byte) (graph.Kind, bool) {
	switch string(tok) {
	case "send":
		return graph.Send, true
	case "recv":
		return graph.Recv, true
	case "calc":
		return graph.Calc, true
	}
	return 0, false
}

func (p *parser) operation(kind graph.Kind, label []byte) error {
	op := graph.Op{Kind: kind, Site: uint32(p.line)}
	size, err := p.number(kind.String(), 0, graph.MaxSize)
	if err != nil {
		return err
	}
	op.Size = size
	if kind != graph.Calc {
		if err := p.peer(&op); err != nil {
			return err
		}
	}
	if err := p.options(&op); err != nil {
		return err
	}
	if _, ok := p.labels.get(label); ok {
		return p.errorf("label %s is used a second time in this rank; give each operation its own", label)
	}
	id := p.b.Add(op)
	if len(p.labels.text) > math.MaxUint32-maxLine {
		return p.errorf("the labels of this rank have more than 4 GB; make them shorter")
	}
	if len(label) > 0 && p.b.Err() == nil {
		p.labels.set(label, id)
	}
	return p.check()
}

// peer takes the b of the size, to or from, and the other rank.
func (p *parser) peer(op *graph.Op) error {
	if err := p.expect("b"); err != nil {
		return err
	}
	word, least := "to", int64(0)
	if op.Kind == graph.Recv {
		word, least = "from", graph.Any
	}
	if err := p.expect(word); err != nil {
		return err
	}
	n, err := p.number(word, least, int64(p.b.Ranks())-1)
	op.Peer = int32(n)
	return err
}

// options takes tag, cpu and nic until the statement ends.
func (p *parser) options(op *graph.Op) error {
	var seen [3]bool
	for {
		tok, err := p.peek()
		if err != nil || len(tok) == 0 || tok[0] == '}' {
			return err
		}
		which := -1
		for i, name := range [...]string{"tag", "cpu", "nic"} {
			if string(tok) == name {
				which = i
			}
		}
		switch {
		case which < 0:
			return p.errorf("unexpected %q after a %s; want tag, cpu, nic or the end of the line", tok, op.Kind)
		case seen[which]:
			return p.errorf("%s is given a second time; leave one of them", tok)
		case op.Kind == graph.Calc && which != 1:
			return p.errorf("a calc has no %s; leave it out", tok)
		}
		seen[which] = true
		if _, err = p.token(); err == nil {
			err = p.option(op, which)
		}
		if err != nil {
			return err
		}
	}
}

func (p *parser) option(op *graph.Op, which int) error {
	switch which {
	case 0:
		least := int64(0)
		if op.Kind == graph.Recv {
			least = graph.Any
		}
		n, err := p.number("tag", least, 1<<31-1)
		op.Tag = int32(n)
		return err
	case 1:
		n, err := p.number("cpu", 0, 255)
		op.CPU = uint8(n)
		return err
	}
	n, err := p.number("nic", 0, graph.Free-1)
	op.NIC = uint8(n)
	return err
}

func (p *parser) dependency(label []byte, dep graph.Dep) error {
	tok, err := p.token()
	if err != nil {
		return err
	}
	a, ok := p.labels.get(label)
	if !ok {
		return p.undefined(label)
	}
	on, ok := p.labels.get(tok)
	if !ok {
		return p.undefined(tok)
	}
	p.b.Depend(a, on, dep)
	if next, err := p.peek(); err != nil || len(next) > 0 && next[0] != '}' {
		return errors.Join(err, p.errorf("unexpected %q after a dependency; end the line there", next))
	}
	return p.check()
}

func (p *parser) undefined(label []byte) error {
	return p.errorf("label %q is not defined; labels belong to a rank and stand before their use: give an operation "+
		"above this line that label", label)
}

// number takes a number from least to most.
func (p *parser) number(after string, least, most int64) (int64, error) {
	tok, err := p.token()
	if err != nil {
		return 0, err
	}
	if len(tok) == 0 || !isDigit(tok[len(tok)-1]) || isLetter(tok[0]) {
		return 0, p.errorf("unexpected %q after %s; want a number", tok, after)
	}
	digits, n := tok, int64(0)
	if tok[0] == '-' {
		digits = tok[1:]
	}
	for _, c := range digits {
		if n = n*10 + int64(c-'0'); n > 1<<58 {
			return 0, p.errorf("%s %s is out of range; want %d to %d", after, tok, least, most)
		}
	}
	if tok[0] == '-' {
		n = -n
	}
	if n < least || n > most {
		return 0, p.errorf("%s %s is out of range; want %d to %d", after, tok, least, most)
	}
	return n, nil
}

func (p *parser) expect(want string) error {
	tok, err := p.token()
	if err == nil && string(tok) != want {
		err = p.errorf("unexpected %q; want %q here", tok, want)
	}
	return err
}
