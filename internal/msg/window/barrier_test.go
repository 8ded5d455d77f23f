package window

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/test/testkit"
)

// The order of plain loads and stores around barrier, as ranks on two CPUs see it. In each pass two sides go through
// all places at the same time.
//
//	message passing    side 0: a = pass; barrier; b = pass     side 1: read b; barrier; read a
//	store buffering    each side: own = pass; barrier; read the other's
//
// Who reads b of this pass reads a of this pass; at least one side reads the other's store. Without the barrier amd64
// fails the second, and arm64 both; arm64 that amd64 emulates fails as amd64.
func TestBarrier(t *testing.T) {
	if testkit.Race {
		t.Skip("the detector knows no barrier")
	}
	const places = 1024
	passes := uint32(1000)
	if testkit.Long() {
		passes = 20_000
	}
	var shared struct {
		a, b  [places]struct{ word, _ uint32 }
		own   [2][places]uint32
		seen  [2][places]uint32
		meets atomic.Uint32
	}
	var stale atomic.Int32
	meet := func() {
		for n := (shared.meets.Add(1) + 1) &^ 1; int32(shared.meets.Load()-n) < 0; {
			runtime.Gosched()
		}
	}
	side := func(me int) {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		for pass := uint32(1); pass <= passes; pass++ {
			meet()
			for i := range places {
				if me == 0 {
					shared.a[i].word = pass
					barrier()
					shared.b[i].word = pass
				} else {
					b := shared.b[i].word
					barrier()
					if a := shared.a[i].word; b == pass && a != pass {
						stale.Add(1)
					}
				}
				shared.own[me][i] = pass
				barrier()
				shared.seen[me][i] = shared.own[1-me][i]
			}
			meet()
			for i := range places {
				if shared.seen[0][i] != pass && shared.seen[1][i] != pass {
					stale.Add(1)
				}
			}
		}
	}
	done := make(chan struct{})
	go func() { side(1); close(done) }()
	side(0)
	<-done
	require.Zero(t, stale.Load())
}
