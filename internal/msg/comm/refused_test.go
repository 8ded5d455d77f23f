package comm

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/btl/mem"
	"github.com/gopvas/gopvas/internal/msg/coll"
	"github.com/gopvas/gopvas/internal/node/job"
)

// The number of calls on the world that a rank has made is not told if the rank was refused one, blocking or not: where
// it has not learned which call it was before Finalize, another number has been counted than at others.
func TestRefusedCallsOnTheWorldAreNotCompared(t *testing.T) {
	for name, call := range map[string]func(Call) error{
		"blocking":    Call.Run,
		"nonblocking": func(k Call) error { _, err := k.Begin(); return err },
	} {
		t.Run(name, func(t *testing.T) {
			var root *job.Root
			overMem(t, 2, 2, mem.Options{}, func(c *Comm) error {
				if c.Rank() == 0 {
					root = c.root
					return nil
				}
				k := Call{Comm: c, Op: "bcast", Args: coll.Args{Kind: coll.Bcast, Wrong: errors.New("wrong")}}
				if call(k) == nil {
					return errors.New("the call is not refused")
				}
				return nil
			})
			_, known := root.WorldCalls(0)
			require.True(t, known)
			_, known = root.WorldCalls(1)
			require.False(t, known)
		})
	}
}
