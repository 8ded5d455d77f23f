package pml

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/msg/pml/wait"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/job/jobtest"
)

// TestScripts runs the scripts of testdata, which explain how messages travel. They drive the protocol of rank 0 of 4;
// the script is the transport, and all other ranks. After a change of what the protocol does, -rewrite writes the
// answers anew.
//
//	send NAME to=R bytes=N tag=T       MPI_Isend; sync: MPI_Issend; waits: the call waits, as MPI_Send
//	receive NAME from=R tag=T bytes=N  MPI_Irecv; no from: any source, no tag: any tag
//	probe NAME from=R tag=T            MPI_Probe; mprobe: MPI_Mprobe; mrecv NAME of=PROBE bytes=N: MPI_Imrecv
//	arrive NAME from=R tag=T bytes=N   a message comes; offered: its bytes stay with its sender
//	cancel NAME                        MPI_Cancel
//	room R N                           the ring of rank R has N free slots from now on
//	credit R N                         rank R takes N more short messages before it has released one
//	take R                             rank R takes the oldest message that it was told of
//	lose R                             rank R has exited without MPI_Finalize
func TestScripts(t *testing.T) {
	scripts, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	require.Len(t, scripts, 5)
	for _, path := range scripts {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			s := newScript(t)
			datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string { return s.run(t, d) })
		})
	}
}

// script is the transport of rank 0, and what the script has begun there.
type script struct {
	btl.Messages
	root    *job.Root
	p       *protocol
	ops     map[string]*operation
	names   []string          // of ops, in the order in which they were begun
	was     map[string]string // what was said of each last
	probed  map[string]Message
	room    map[int]int // by rank
	credit  map[int]int
	refused bool // the last message, for want of credit
	offers  map[int][]*offer
	coming  []*btl.Frame
	came    uint64
	said    []string
}

// offer is a message that a rank was told of.
type offer struct{ taken bool }

func (o *offer) Progress() (bool, error) { return o.taken, nil }

func newScript(t *testing.T) *script {
	s := &script{root: jobtest.Create(t, job.Config{Ranks: 4, BTL: job.BTLSM, CPUs: 4}).Root(),
		ops: map[string]*operation{}, was: map[string]string{}, probed: map[string]Message{},
		room: map[int]int{}, credit: map[int]int{}, offers: map[int][]*offer{}}
	for rank := range 4 {
		s.root.SetState(rank, job.StateInit)
		s.room[rank], s.credit[rank] = 100, 100
	}
	s.p = &New(s.root, 0, s).p
	return s
}

func (s *script) say(format string, args ...any) {
	s.said = append(s.said, fmt.Sprintf(format, args...))
}

// run carries out one command, and says what the transport was asked and what has changed.
func (s *script) run(t *testing.T, d *datadriven.TestData) string {
	s.said = nil
	a := arguments{t, d}
	switch d.Cmd {
	case "send":
		mode := Standard
		if a.has("sync") {
			mode = Synchronous
		}
		buf := btl.Buffer{Bytes: make([]byte, a.number("bytes", 0))}
		op, err := s.p.send(0, a.number("to", 0), a.number("tag", 0), Mark{}, &buf, mode, !a.has("waits"))
		require.NoError(t, err)
		if op == sent {
			s.say("%s is over", a.name())
			break
		}
		if s.note(a.name(), op); a.has("waits") && op.state != complete {
			op.waiter = wait.NewWaiter(op, "")
		}
	case "receive":
		buf := btl.Buffer{Bytes: make([]byte, a.number("bytes", 1<<20))}
		op, err := s.p.receive(0, a.number("from", AnySource), a.number("tag", AnyTag), &buf)
		require.NoError(t, err)
		s.note(a.name(), op)
	case "probe", "mprobe":
		s.probe(a, map[string]kind{"probe": probing, "mprobe": picking}[d.Cmd])
	case "mrecv":
		m := s.probed[a.text("of")]
		op, err := s.p.receiveMatched(&m, btl.Buffer{Bytes: make([]byte, a.number("bytes", 1<<20))})
		if err != nil {
			s.say("%s fails: %v", a.name(), err)
			break
		}
		s.note(a.name(), op)
	case "arrive":
		n := a.number("bytes", 0)
		f := &btl.Frame{Header: btl.Header{Source: int32(a.number("from", 0)), Tag: int32(a.number("tag", 0)),
			Length: uint64(n)}, Offered: a.has("offered")}
		if !f.Offered {
			f.Payload = make([]byte, n)
		}
		s.coming = append(s.coming, f)
	case "room":
		s.room[a.at(0)] = a.at(1)
	case "credit":
		s.credit[a.at(0)] = a.at(1)
	case "take":
		rank := a.at(0)
		s.offers[rank][0].taken = true
		s.offers[rank] = s.offers[rank][1:]
	case "cancel":
		require.NoError(t, s.p.cancel(s.ops[a.name()]))
	case "lose":
		s.root.MarkGone(a.at(0))
	default:
		d.Fatalf(t, "there is no command %s", d.Cmd)
	}
	switch d.Cmd {
	case "arrive", "room", "credit", "take", "lose": // the transport has something new
		before := s.p.stats.Unexpected
		s.p.look()
		if s.p.stats.Unexpected != before {
			s.say("%s is unexpected", a.name())
		}
	}
	s.changes()
	return strings.Join(s.said, "\n")
}

// probe is a probe that blocks, up to where it waits.
func (s *script) probe(a arguments, k kind) {
	from, tag := a.number("from", AnySource), a.number("tag", AnyTag)
	m, st, ok := s.p.search(k, 0, from, tag)
	switch err := s.p.gone.Error(0, int32(from)); {
	case ok:
		s.say("%s finds %d bytes from rank %d, tag %d", a.name(), st.Bytes, st.Source, st.Tag)
		s.probed[a.name()] = m
	case err != nil:
		s.say("%s fails: %v", a.name(), err)
	default:
		s.note(a.name(), s.p.await(k, 0, from, tag))
	}
}

func (s *script) note(name string, op *operation) {
	s.names, s.ops[name] = append(s.names, name), op
}

// changes says which operations have changed.
func (s *script) changes() {
	for _, name := range s.names {
		op := s.ops[name]
		if now := s.describe(name, op); now != s.was[name] {
			s.was[name] = now
			s.say("%s %s", name, now)
		}
	}
}

func (s *script) describe(name string, op *operation) string {
	switch op.state {
	case queued:
		return "is queued"
	case posted:
		if op.kind > receiving {
			return "waits"
		}
		return "is posted"
	case held:
		return "is held until its receive"
	case moving:
		return "is underway"
	}
	st := op.status
	switch {
	case op.err != nil:
		return "fails: " + op.err.Error()
	case op.status.Cancelled:
		return "is cancelled"
	case op.kind == sending:
		return "is over"
	case op.kind == receiving:
		return fmt.Sprintf("has received %d bytes from rank %d, tag %d", st.Bytes, st.Source, st.Tag)
	}
	if op.message != nil {
		s.probed[name] = Message{msg: op.message, generation: op.message.generation}
	}
	return fmt.Sprintf("finds %d bytes from rank %d, tag %d", st.Bytes, st.Source, st.Tag)
}

// arguments are those of a command.
type arguments struct {
	t *testing.T
	d *datadriven.TestData
}

func (a arguments) name() string { return a.d.CmdArgs[0].Key }
func (a arguments) at(i int) int { return a.parse(a.d.CmdArgs[i].Key) }

func (a arguments) has(key string) bool {
	_, ok := a.find(key)
	return ok
}

func (a arguments) text(key string) string {
	vals, _ := a.find(key)
	return vals
}

func (a arguments) number(key string, otherwise int) int {
	if text, ok := a.find(key); ok {
		return a.parse(text)
	}
	return otherwise
}

func (a arguments) find(key string) (text string, ok bool) {
	for _, arg := range a.d.CmdArgs {
		if arg.Key == key {
			return strings.Join(arg.Vals, ","), true
		}
	}
	return "", false
}

func (a arguments) parse(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		a.d.Fatalf(a.t, "%v", err)
	}
	return n
}

// What follows is the transport.

func (s *script) Capabilities() btl.Capabilities { return btl.Capabilities{} }
func (s *script) Counters() btl.Counters         { return btl.Counters{Received: s.came} }
func (s *script) EagerLimit() int                { return 4096 }
func (s *script) NoCredit() bool                 { return s.refused }
func (s *script) Wake()                          {}
func (s *script) Senders(func(rank int))         {}

func (s *script) Send(peer int, _ *btl.Header, payload []byte) (btl.Transfer, bool) {
	s.refused = s.room[peer] > 0 && s.credit[peer] == 0
	switch {
	case s.refused:
		s.say("transport: no credit for %d bytes to rank %d", len(payload), peer)
		return nil, false
	case s.room[peer] == 0:
		s.say("transport: no slot for %d bytes to rank %d", len(payload), peer)
		return nil, false
	}
	s.room[peer]--
	s.credit[peer]--
	s.say("transport: copies %d bytes to rank %d", len(payload), peer)
	return nil, true
}

func (s *script) Offer(peer int, _ *btl.Header, src *btl.Buffer) (btl.Transfer, bool) {
	if s.room[peer] == 0 {
		s.say("transport: no slot to tell rank %d of %d bytes", peer, src.Len())
		return nil, false
	}
	s.room[peer]--
	o := &offer{}
	s.offers[peer] = append(s.offers[peer], o)
	s.say("transport: tells rank %d of %d bytes", peer, src.Len())
	return o, true
}

func (s *script) Poll(most int, deliver func(*btl.Frame)) (n int) {
	for ; n < most && len(s.coming) > 0; n++ {
		f := s.coming[0]
		s.coming = s.coming[1:]
		s.came++
		deliver(f)
	}
	return n
}

func (s *script) Accept(f *btl.Frame, dst *btl.Buffer) btl.Transfer {
	s.say("transport: takes %d bytes from rank %d", min(int(f.Length), dst.Len()), f.Source)
	return nil
}

func (s *script) Release(f *btl.Frame) {
	s.say("transport: gives back the memory of %d bytes from rank %d", f.Length, f.Source)
}
