package mail

import (
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/shm"
)

// A rank that copies a message part by part does not take the time of that for one in which others had
// its CPU.
func TestPartsAreWork(t *testing.T) {
	for _, test := range []struct {
		name   string
		direct bool
		way    job.SingleCopy
		sender bool // copies, too
	}{
		{"pipeline", false, job.SingleCopyNone, true},
		{"process_vm_readv", false, job.SingleCopyCMA, false},
		{"both ends", true, job.SingleCopyAuto, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.way == job.SingleCopyCMA {
				skipWithoutCMA(t)
			}
			root, b := boxes(t, 2, test.direct, job.Settings{SingleCopy: test.way})
			require.NoError(t, root.Claim(1, os.Getpid()))
			for _, b := range b {
				w := shm.NewWaiter(root.WaitPolicy())
				w.ParkIn(nobody)
				require.Positive(t, w.Spins())
				b.SetWaiter(w)
			}
			src, dst := make([]byte, 16<<20), make([]byte, 16<<20)
			out, ok := b[1].Offer(0, &btl.Header{}, &btl.Buffer{Bytes: src})
			require.True(t, ok)
			var in btl.Transfer
			b[0].Poll(1, func(f *btl.Frame) { in = b[0].Accept(f, &btl.Buffer{Bytes: dst}) })
			for {
				done := part(t, in)
				if done {
					break
				}
				require.True(t, b[0].waits.GoOn(false))
				if test.sender && !part(t, out) {
					require.True(t, b[1].waits.GoOn(false))
				}
			}
		})
	}
}

// part is a look at a transfer that copies a part of it, and takes long.
func part(t *testing.T, of btl.Transfer) (done bool) {
	for begin := time.Now(); time.Since(begin) < 50*time.Microsecond; {
	}
	done, err := of.Progress()
	require.NoError(t, err)
	return done
}

// nobody parks here.
func nobody(*shm.Event, uint32, time.Duration) (bool, error) { panic("parked") }

// For the race detector: a rank may come to park elsewhere while a goroutine of it sleeps, or is about to.
func TestParkInWhileOthersSleep(t *testing.T) {
	_, b := boxes(t, 1, true, job.Settings{})
	var over atomic.Bool
	slept := make(chan error)
	go func() {
		var err error
		for !over.Load() && err == nil {
			looks := 0
			err = b[0].Sleep(func() bool { looks++; return looks > 2 || over.Load() }, nil)
			b[0].Wake()
		}
		slept <- err
	}()
	for range 100 {
		b[0].waits.ParkIn(func(e *shm.Event, count uint32, _ time.Duration) (bool, error) {
			return true, e.Follow(count)
		})
		b[0].Wake()
	}
	over.Store(true)
	b[0].Wake()
	require.NoError(t, <-slept)
}
