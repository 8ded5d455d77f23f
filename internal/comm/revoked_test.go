package comm

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/btl/mem"
	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/internal/job/jobtest"
	"github.com/gopvas/gopvas/internal/pml"
)

// survivors are the worlds of the ranks of a job that survives.
func survivors(t *testing.T, ranks int) (*job.Root, []*Comm) {
	root := jobtest.Create(t, job.Config{Ranks: ranks, BTL: job.BTLSM, CPUs: 1,
		Settings: job.Settings{Survive: true}}).Root()
	w := mem.New(root, mem.Options{})
	var worlds []*Comm
	for rank := range ranks {
		worlds = append(worlds, NewWorld(root, rank, w.Module(rank), Settings{}, Operators{}))
		root.SetState(rank, job.StateInit)
	}
	return root, worlds
}

// A rank revokes the world, ends well and is gone. Calls of the others are refused because of the revocation, not
// because of the rank, though they have not read it before.
func TestRevokedComesBeforeGone(t *testing.T) {
	for name, call := range map[string]func(c *Comm) error{
		"ssend": func(c *Comm) error { return Send(c, Synchronous, nil, 1, 0, 0) },
		"recv":  func(c *Comm) error { return Recv(c, new(Status), nil, 1, 0, 0) },
		"any":   func(c *Comm) error { return Recv(c, new(Status), nil, 1, AnySource, 0) },
		"probe": func(c *Comm) error { _, err := Probe(c, 0, 0); return err },
		"dup":   func(c *Comm) error { _, err := c.Dup(); return err },
		"barrier": func(c *Comm) error {
			return c.Barrier()
		},
		"ibarrier": func(c *Comm) error {
			r, err := c.Ibarrier()
			if err == nil {
				_, err = r.Wait()
			}
			return err
		},
	} {
		for _, known := range []bool{false, true} { // that rank 0 has gone
			t.Run(name, func(t *testing.T) {
				root, worlds := survivors(t, 3)
				leave := func() {
					root.SetState(0, job.StateFinal)
					root.MarkGone(0)
				}
				if known {
					leave()
					worlds[1].engine.Progress()
					require.NoError(t, Revoke(worlds[2]))
				} else {
					require.NoError(t, Revoke(worlds[0]))
					leave()
				}
				require.ErrorIs(t, call(worlds[1]), ErrRevoked)
			})
		}
	}
}

// The number of calls on a world that was revoked is not compared with that of others.
func TestCallsOnARevokedWorldAreNotCompared(t *testing.T) {
	root, worlds := survivors(t, 2)
	require.NoError(t, Revoke(worlds[0]))
	for rank, c := range worlds {
		require.NoError(t, c.Finalize())
		_, known := root.WorldCalls(rank)
		require.False(t, known)
	}
}

// A process reads the revocation of a communicator before it has made it. What others have sent to it there is dropped
// nevertheless.
func TestRevokedBeforeItIsMade(t *testing.T) {
	root, worlds := survivors(t, 2)
	id := worlds[0].contexts.take()
	there := worlds[1].newComm(worlds[1].group, id)
	r, err := there.engine.Isend(there.context, 0, 0, nil, pml.Synchronous)
	require.NoError(t, err)
	require.True(t, job.Revoke(root, job.Revocation{ID: uint32(id), Serial: uint32(id >> 32)}))
	worlds[0].engine.Progress()
	here := worlds[0].newComm(worlds[0].group, id)
	require.True(t, IsRevoked(here))
	_, done, err := r.Test()
	require.NoError(t, err)
	require.True(t, done)
}
