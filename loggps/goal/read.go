package goal

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"

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
	p := &parser{lexer: l, labels: map[string]graph.ID{}}
	for !p.eof && p.err == nil {
		p.nextLine()
		p.parseLine()
	}
	switch {
	case p.b == nil:
		p.fail("num_ranks is missing; begin the file with num_ranks N")
	case p.open > 0 && p.err == nil:
		p.line = p.open
		p.fail("the rank that begins here never ends; add } after its last line")
	}
	if p.err == nil {
		return p.b.Graph()
	}
	if e, ok := errors.AsType[*Error](p.err); ok && p.b == nil && e.Err == nil {
		e.Err = ErrNoGoal
	}
	return nil, p.err
}

// parser makes a graph of tokens. After a mistake there are no tokens: each statement then ends by itself.
type parser struct {
	*lexer
	b      *graph.Builder      // nil before num_ranks
	open   int                 // the line that has begun the present rank, or 0
	labels map[string]graph.ID // of the present rank
	began  map[int]int         // by rank, the line that has begun it
	tags   map[int64]int32     // numbers of the tags from firstTag on
}

// parseLine takes all statements of a line.
func (p *parser) parseLine() {
	for tok := p.token(); len(tok) > 0; tok = p.token() {
		switch {
		case p.open > 0:
			p.inRank(tok)
		case string(tok) == "num_ranks":
			p.numRanks()
		case string(tok) == "rank":
			p.rank()
		default:
			p.fail("%q is outside of any rank; put it between rank R { and }", tok)
		}
	}
}

func (p *parser) numRanks() {
	if p.b != nil {
		p.fail("num_ranks is given a second time; leave one of them")
	}
	n := p.number("num_ranks", 1, graph.MaxRanks)
	if p.err != nil {
		return
	}
	p.b = graph.NewBuilder(int(n))
	p.b.Name(p.file)
	p.began = map[int]int{}
	p.check()
}

func (p *parser) rank() {
	if p.b == nil {
		p.fail("rank comes before num_ranks; begin the file with num_ranks N")
	}
	r := p.number("rank", 0, graph.MaxRanks)
	if line, ok := p.began[int(r)]; ok {
		p.fail("rank %d has been given in line %d; put all its operations there", r, line)
	}
	if p.expect("{"); p.err != nil {
		return
	}
	p.began[int(r)], p.open = p.line, p.line
	clear(p.labels)
	p.b.Rank(int(r))
	p.check()
}

// check notes what the builder has to object as a mistake of this line.
func (p *parser) check() {
	err := p.b.Err()
	if err == nil {
		return
	}
	if cycle, ok := errors.AsType[*graph.CycleError](err); ok {
		p.line = int(p.b.Op(cycle.Op).Site)
		p.failBy(err, "this operation waits for itself through its dependencies; take one of them out")
	}
	p.failBy(err, err.Error())
}

// inRank takes a statement that begins with a token.
func (p *parser) inRank(tok []byte) {
	if tok[0] == '}' {
		p.open = 0
		p.b.EndRank()
		p.check()
		return
	}
	if kind, ok := kindOf(tok); ok {
		p.operation(kind, nil)
		return
	}
	if !isLetter(tok[0]) {
		p.fail("unexpected %q; want an operation, a label or }", tok)
	}
	label := tok
	switch next := p.token(); string(next) {
	case ":":
		tok := p.token()
		kind, ok := kindOf(tok)
		if !ok {
			p.fail("unexpected %q after label %s; want send, recv or calc", tok, label)
		}
		p.operation(kind, label)
	case "requires":
		p.dependency(label, graph.Requires)
	case "irequires":
		p.dependency(label, graph.Irequires)
	default:
		p.fail("unexpected %q after %s; want send, recv, calc, LABEL:, LABEL requires LABEL or LABEL irequires LABEL",
			next, label)
	}
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

func (p *parser) operation(kind graph.Kind, label []byte) {
	op := graph.Op{Kind: kind, Site: uint32(p.line), Size: p.number(kind.String(), 0, graph.MaxSize)}
	if kind != graph.Calc {
		p.peer(&op)
	}
	p.options(&op)
	if _, ok := p.labels[string(label)]; ok {
		p.fail("label %s is used a second time in this rank; give each operation its own", label)
	}
	if p.err != nil {
		return
	}
	id := p.b.Add(op)
	if label != nil {
		p.labels[string(label)] = id
	}
	p.check()
}

// peer takes the b of the size, to or from, and the other rank.
func (p *parser) peer(op *graph.Op) {
	p.expect("b")
	word, least := "to", int64(0)
	if op.Kind == graph.Recv {
		word, least = "from", graph.Any
	}
	p.expect(word)
	op.Peer = int32(p.number(word, least, int64(p.b.Ranks())-1))
}

// options takes tag, cpu and nic until the statement ends.
func (p *parser) options(op *graph.Op) {
	names := []string{"tag", "cpu", "nic"}
	var seen [3]bool
	for tok := p.peek(); len(tok) > 0 && tok[0] != '}'; tok = p.peek() {
		which := slices.Index(names, string(tok))
		switch {
		case which < 0:
			p.fail("unexpected %q after a %s; want tag, cpu, nic or the end of the line", tok, op.Kind)
			return
		case seen[which]:
			p.fail("%s is given a second time; leave one of them", tok)
		case op.Kind == graph.Calc && which != 1:
			p.fail("a calc has no %s; leave it out", tok)
		}
		seen[which] = true
		p.token()
		switch names[which] {
		case "tag":
			least := int64(0)
			if op.Kind == graph.Recv {
				least = graph.Any
			}
			op.Tag = p.tag(p.number("tag", least, graph.MaxSize))
		case "cpu":
			op.CPU = uint8(p.number("cpu", 0, 255))
		case "nic":
			op.NIC = uint8(p.number("nic", 0, graph.Free-1))
		}
	}
}

// firstTag is the first of the tags that get numbers from there on in the order in which they come: programs that write
// GOAL make tags of several numbers, which no integer of 32 bits holds.
const firstTag = 1 << 30

func (p *parser) tag(n int64) int32 {
	if n < firstTag {
		return int32(n)
	}
	number, known := p.tags[n]
	if !known {
		if p.tags == nil {
			p.tags = map[int64]int32{}
		}
		number = firstTag + int32(len(p.tags))
		p.tags[n] = number
	}
	return number
}

func (p *parser) dependency(label []byte, dep graph.Dep) {
	tok := p.token()
	a, ok := p.labels[string(label)]
	on, known := p.labels[string(tok)]
	if !ok || !known {
		if ok {
			label = tok
		}
		p.fail("label %q is not defined; labels belong to a rank and stand before their use: give an operation above "+
			"this line that label", label)
		return
	}
	p.b.Depend(a, on, dep)
	if next := p.peek(); len(next) > 0 && next[0] != '}' {
		p.fail("unexpected %q after a dependency; end the line there", next)
	}
	p.check()
}

// number takes a number from least to most.
func (p *parser) number(after string, least, most int64) int64 {
	tok := p.token()
	if len(tok) == 0 || !isDigit(tok[len(tok)-1]) || isLetter(tok[0]) {
		p.fail("unexpected %q after %s; want a number", tok, after)
		return 0
	}
	n, err := strconv.ParseInt(string(tok), 10, 64)
	if err != nil || n < least || n > most {
		p.fail("%s %s is out of range; want %d to %d", after, tok, least, most)
	}
	return n
}

func (p *parser) expect(want string) {
	if tok := p.token(); string(tok) != want {
		p.fail("unexpected %q; want %q here", tok, want)
	}
}
