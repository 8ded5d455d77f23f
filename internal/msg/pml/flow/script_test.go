package flow

import (
	"errors"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"
)

// TestScripts runs the scripts of testdata, which explain whom a look asks. After a change of what is answered,
// -rewrite writes the answers anew.
func TestScripts(t *testing.T) {
	scripts, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(scripts), 3)
	for _, path := range scripts {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			s := &script{ops: map[string]*op{}}
			datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string { return s.run(t, d) })
		})
	}
}

// script is a rank that does what a script says.
type script struct {
	receives Receives[op]
	sends    Sends[op]
	ops      map[string]*op
	asked    []string
	ended    []string
}

// run carries out one command. Its arguments are names of operations, or ranks.
func (s *script) run(t *testing.T, d *datadriven.TestData) string {
	s.asked, s.ended = nil, nil
	switch d.Cmd {
	case "send", "ahead", "queue", "receive":
		for _, a := range d.CmdArgs[1:] {
			s.begin(t, d, a.Key)
		}
	case "done":
		for _, a := range d.CmdArgs {
			s.ops[a.Key].ready = true
		}
		return ""
	case "look":
		s.receives.Advance(rank(t, d), s.end)
		s.sends.Advance(rank(t, d), s.end)
	case "room":
		to := int32(rank(t, d))
		room := rank(t, d, 1)
		s.sends.Flush(func(o *op) bool {
			if o.to != to || room == 0 {
				return false
			}
			room--
			s.ended = append(s.ended, o.name+" is launched")
			s.sends.Start(o.to, &o.transfer, o, false)
			return true
		})
	case "lose":
		lost := int32(rank(t, d))
		s.sends.DropQueued(func(o *op) error {
			if o.to == lost {
				return errLost
			}
			return nil
		}, s.end)
	default:
		d.Fatalf(t, "there is no command %s", d.Cmd)
	}
	said := ""
	if s.asked != nil {
		said = "asks " + strings.Join(s.asked, ", ") + "\n"
	}
	return said + strings.Join(s.ended, "\n")
}

var errLost = errors.New("its peer has gone")

func (s *script) end(o *op, err error) {
	if err != nil {
		s.ended = append(s.ended, o.name+" fails: "+err.Error())
	} else {
		s.ended = append(s.ended, o.name+" is over")
	}
}

// begin begins an operation of the command, whose first argument is the peer.
func (s *script) begin(t *testing.T, d *datadriven.TestData, name string) {
	o := newOp(name)
	o.to, o.asked = int32(rank(t, d)), &s.asked
	s.ops[name] = o
	switch d.Cmd {
	case "receive":
		s.receives.Start(&o.transfer, o, s.end)
	case "queue":
		s.sends.Queue(o.to, &o.transfer)
	default:
		s.sends.Start(o.to, &o.transfer, o, d.Cmd == "ahead")
	}
}

// rank returns an argument of a command that is a number, the first one if none is named.
func rank(t *testing.T, d *datadriven.TestData, which ...int) int {
	at := 0
	if which != nil {
		at = which[0]
	}
	n, err := strconv.Atoi(d.CmdArgs[at].Key)
	if err != nil {
		d.Fatalf(t, "%v", err)
	}
	return n
}
