package match

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"
)

// TestScripts runs the scripts of testdata, which explain the machine. A rank does with the machine what script does.
// After a change of what it answers, -rewrite writes the answers anew.
func TestScripts(t *testing.T) {
	scripts, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(scripts), 5)
	for _, path := range scripts {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			s := &script{machine: New[post, letter](64), receives: map[string]*post{}, messages: map[string]*letter{},
				gone: map[int32]bool{}}
			datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string { return s.run(t, d) })
		})
	}
}

// script is a rank that does what a script says.
type script struct {
	machine  Machine[post, letter]
	receives map[string]*post // by name
	messages map[string]*letter
	gone     map[int32]bool
}

var errGone = errors.New("its rank has gone")

// run carries out one command. Its arguments are a name, from=, tag= and context=; what is left out is any, or 0.
func (s *script) run(t *testing.T, d *datadriven.TestData) string {
	name, from, tag := "", number(t, d, "from", AnySource), number(t, d, "tag", AnyTag)
	if len(d.CmdArgs) > 0 {
		name = d.CmdArgs[0].Key
	}
	c := s.machine.In(uint32(number(t, d, "context", 0)))
	switch d.Cmd {
	case "receive":
		r := newPost(from, tag)
		r.name, s.receives[name] = name, r
		return s.receive(c, r)
	case "arrive":
		m := newLetter(from, tag)
		m.name, s.messages[name] = name, m
		return s.arrive(c, m)
	case "probe", "mprobe":
		return s.probe(c, name, d.Cmd, from, tag)
	case "withdraw":
		c.Withdraw(&s.receives[name].Receive)
		return name + " is withdrawn"
	case "lose":
		s.gone[number(t, d, "rank", 0)] = true
		return s.expel()
	}
	d.Fatalf(t, "there is no command %s", d.Cmd)
	return ""
}

// receive is MPI_Irecv.
func (s *script) receive(c *Context[post, letter], r *post) string {
	if m := c.Find(r.Peer, r.Tag); m != nil {
		c.Take(&m.Message)
		return r.name + " gets " + m.name + ", which was unexpected"
	}
	if s.gone[r.Peer] {
		return r.name + " fails: " + errGone.Error()
	}
	c.Post(&r.Receive)
	return r.name + " is posted"
}

// arrive is what a rank does with a message that its module hands over.
func (s *script) arrive(c *Context[post, letter], m *letter) string {
	if r := c.Arrive(m.Source, m.Tag); r != nil {
		return m.name + " goes to " + r.name
	}
	c.Add(&m.Message)
	said := m.name + " is unexpected"
	for p := c.NextProbe(&m.Message); p != nil; p = c.NextProbe(&m.Message) {
		if strings.HasPrefix(p.name, "mprobe") {
			c.Take(&m.Message)
			return said + "; " + p.name + " takes it out of the matching"
		}
		said += "; " + p.name + " sees it"
	}
	return said
}

// probe is MPI_Probe or MPI_Mprobe.
func (s *script) probe(c *Context[post, letter], name, call string, from, tag int32) string {
	if m := c.Find(from, tag); m != nil {
		if call == "mprobe" {
			c.Take(&m.Message)
			return name + " takes " + m.name + " out of the matching"
		}
		return name + " sees " + m.name
	}
	p := newPost(from, tag)
	p.name = call + " " + name
	s.receives[name] = p
	c.Await(&p.Receive)
	return name + " waits"
}

// expel fails what waits for a rank that has gone. From AnySource others may send: here nobody else has gone.
func (s *script) expel() string {
	var said []string
	for r, err := range s.machine.Expel(func(r *post) error {
		if s.gone[r.Peer] {
			return errGone
		}
		return nil
	}) {
		said = append(said, r.name+" fails: "+err.Error())
	}
	if said == nil {
		return "nothing waits for it"
	}
	return strings.Join(said, "\n")
}

// number returns an argument of a command.
func number(t *testing.T, d *datadriven.TestData, key string, otherwise int32) int32 {
	for _, a := range d.CmdArgs {
		if a.Key == key && len(a.Vals) == 1 {
			n, err := strconv.ParseInt(a.Vals[0], 10, 32)
			if err != nil {
				d.Fatalf(t, "%s", fmt.Errorf("%s: %w", key, err))
			}
			return int32(n)
		}
	}
	return otherwise
}
