package btltest

import (
	"fmt"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/test/testkit"
	"github.com/gopvas/gopvas/mpi/fault"
)

// Case is one property of a module.
type Case struct {
	Name string
	run  func(*env)
}

// Cases returns all cases. They work with any number of ranks.
func Cases() []Case {
	cases := []Case{
		{"identity", identity},
		{"fresh memory", freshMemory},
		{"bad lengths", badLengths},
		{"exhausted", exhausted},
		{"read and write peers", readAndWritePeers},
		{"lengths differ", lengthsDiffer},
		{"parts", parts},
		{"bad attachments", badAttachments},
		{"atomics", atomics},
		{"goroutines", goroutines},
		{"direct", direct},
		{"closed", closed},
		{"peer has gone", peerHasGone},

		{"capabilities", capabilities},
		{"park elsewhere", parkElsewhere},
		{"settled", settled},
		{"messages in order", messagesInOrder},
		{"held messages", heldMessages},
		{"short ways", shortWays},
		{"flood", flood},
		{"flood of eager messages", floodEager},
		{"many offers", manyOffers},
		{"messages with fallback", fallbackMessages},
		{"fallback without buffers", fallbackWithoutBuffers},
		{"zero-copy sends", zeroCopySends},
		{"truncating accept", truncatingAccept},
		{"sleepers are woken", sleepersAreWoken},
		{"sends wait for room", sendsWaitForRoom},
		{"sender has gone", senderHasGone},
		{"receiver has gone", receiverHasGone},
	}
	if !testkit.Race { // which allocates itself
		cases = append(cases, Case{"nothing is allocated", nothingIsAllocated})
	}
	return cases
}

// Run executes the case as the given rank and returns what was found wrong, nil if
// nothing. The caller marks the rank as gone in the job when Run has returned, so
// that a rank that fails does not leave the others waiting.
func (c Case) Run(m btl.Module, root *job.Root, rank int) (err error) {
	e := &env{Module: m, root: root, rank: rank}
	defer func() {
		if r := recover(); r != nil {
			if _, ours := r.(failNow); !ours {
				panic(r)
			}
		}
		if len(e.failures) > 0 {
			err = fmt.Errorf("case %q, rank %d of %d: %s", c.Name, rank, root.Ranks(), strings.Join(e.failures, "\n"))
		}
	}()
	c.run(e)
	return nil
}

// env is the world of a case. It is a require.TestingT, because a rank may be a
// process without a testing.T.
type env struct {
	btl.Module
	root     *job.Root
	rank     int
	slot     int
	failures []string
}

type failNow struct{}

func (e *env) Errorf(format string, args ...any) {
	e.failures = append(e.failures, fmt.Sprintf(format, args...))
}

func (e *env) FailNow() { panic(failNow{}) }

// met is the window slot in which each rank counts the barriers that it has entered.
const met = job.MaxWindows - 1

func (e *env) barrier() { require.NoError(e, e.meet()) }

// meet returns nil when all ranks have called it as often as this one, and a
// *fault.LostError if one has gone before. It is for tests: it looks now and then.
func (e *env) meet() error {
	_, k := e.root.Window(e.rank, met)
	if err := e.root.PublishWindow(e.rank, met, 0, k+1); err != nil {
		return err
	}
	for peer := range e.root.Ranks() {
		for {
			gone := e.root.Gone(peer)
			if _, n := e.root.Window(peer, met); n > k {
				break
			}
			if gone {
				return &fault.LostError{Rank: peer}
			}
			time.Sleep(20 * time.Microsecond)
		}
	}
	return nil
}

// share allocates n bytes and tells all ranks; it returns after all have done so.
func (e *env) share(n int) []byte {
	mem, at, err := e.Alloc(n)
	require.NoError(e, err)
	e.publish(at, n)
	return mem
}

// publish is collective, like everything with a barrier in it.
func (e *env) publish(at uint64, n int) {
	require.NoError(e, e.root.PublishWindow(e.rank, e.slot, at, uint64(n)))
	e.slot++
	e.barrier()
}

// peer attaches what the rank has published last.
func (e *env) peer(rank int) []byte {
	at, n := e.root.Window(rank, e.slot-1)
	mem, err := e.Attach(rank, at, int(n))
	require.NoError(e, err)
	require.Len(e, mem, int(n))
	return mem
}

// fill writes bytes that tell the rank and the place.
func fill(mem []byte, rank int) {
	for i := range mem {
		mem[i] = pattern(rank, i)
	}
}

func pattern(rank, i int) byte { return byte(rank*31 + i*7 + i>>8 + 1) }

// check compares with fill's bytes; require on each byte would take minutes.
func (e *env) check(mem []byte, rank, from int) {
	for i, b := range mem {
		if b != pattern(rank, from+i) {
			require.Equal(e, pattern(rank, from+i), b, "byte %d of rank %d", from+i, rank)
		}
	}
}
