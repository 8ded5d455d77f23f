package sm_test

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/msg/btl/btltest"
	"github.com/gopvas/gopvas/internal/msg/btl/sm"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/job/jobtest"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/internal/test/testkit"
	"github.com/gopvas/gopvas/mpi/fault"
)

func TestMain(m *testing.M) {
	jobtest.Main(m, map[string]func() error{"case": runCase, "survive": runSurvive})
}

// runCase is a rank: it runs the case that the environment names.
func runCase() error {
	p, err := job.Join()
	if err != nil {
		return err
	}
	if err := p.Memory.Root().Claim(p.Rank, os.Getpid()); err != nil {
		return err
	}
	m, err := sm.New(p.Memory, p.Rank)
	if err != nil {
		return err
	}
	for _, c := range btltest.Cases() {
		if c.Name == os.Getenv("CASE") {
			if err := c.Run(m, p.Memory.Root(), p.Rank); err != nil {
				return err
			}
			return errors.Join(m.Close(), p.Memory.Close())
		}
	}
	return fmt.Errorf("no case %q", os.Getenv("CASE"))
}

// TestConformance runs the suite with ranks as processes.
func TestConformance(t *testing.T) {
	for i, c := range btltest.Cases() {
		for j, ranks := range testkit.Counts(1, 2, 5) {
			for _, mode := range testkit.Turn(i+j, job.SingleCopyAuto, job.SingleCopyNone, job.SingleCopyCMA) {
				t.Run(fmt.Sprintf("%s/ranks=%d/single-copy=%v", c.Name, ranks, mode), func(t *testing.T) {
					jobtest.Run(t, job.Config{
						Ranks: ranks, BTL: job.BTLSM, CPUs: 2, Settings: job.Settings{SingleCopy: mode},
						HugePages: map[int]job.HugePages{2: job.TransparentPages}[ranks],
					}, "case", "CASE="+c.Name)
				})
			}
		}
	}
}

func TestNewRefuses(t *testing.T) {
	mem := jobtest.Create(t, job.Config{Ranks: 2, BTL: job.BTLSM, CPUs: 2})
	var bad *fault.RankError
	_, err := sm.New(mem, 2)
	require.ErrorAs(t, err, &bad)
	_, err = sm.New(jobtest.Create(t, job.Config{Ranks: 2, BTL: job.BTLPvas, CPUs: 2}), 0)
	require.ErrorContains(t, err, "has no segments")
}

// TestMapsOnFirstNeed: attaching the same bytes again gives the same mapping, and
// Close takes every mapping away.
func TestMapsOnFirstNeed(t *testing.T) {
	mem := jobtest.Create(t, job.Config{Ranks: 2, BTL: job.BTLSM, CPUs: 2})
	owner, err := sm.New(mem, 0)
	require.NoError(t, err)
	peer, err := sm.New(mem, 1)
	require.NoError(t, err)
	own, at, err := owner.Alloc(10000)
	require.NoError(t, err)
	first, err := peer.Attach(0, at, 10000)
	require.NoError(t, err)
	again, err := peer.Attach(0, at, 10000)
	require.NoError(t, err)
	require.Equal(t, sys.AddrOf(first), sys.AddrOf(again))
	require.NotEqual(t, sys.AddrOf(own), sys.AddrOf(first))

	attached, allocated := sys.AddrOf(first), sys.AddrOf(own)
	require.NoError(t, peer.Close())
	require.False(t, sys.Mapped(attached, 10000))
	own[9999] = 1 // the owner's is not affected
	require.NoError(t, owner.Close())
	require.False(t, sys.Mapped(allocated, 10000))
}

func TestSegmentRunsOut(t *testing.T) {
	mem := jobtest.Create(t, job.Config{Ranks: 1, BTL: job.BTLSM, CPUs: 2})
	m, err := sm.New(mem, 0)
	require.NoError(t, err)
	stride := int(mem.Root().SegmentStride())
	_, at, err := m.Alloc(1)
	require.NoError(t, err)
	page := os.Getpagesize()
	_, _, err = m.Alloc((stride-int(at)-page)/btl.HugePage*btl.HugePage - btl.HugePage)
	require.NoError(t, err)
	_, _, err = m.Alloc(3 * btl.HugePage)
	require.ErrorIs(t, err, btl.ErrExhausted)
	require.ErrorContains(t, err, "bytes left in the segment of rank 0")
	_, err = m.Attach(0, uint64(stride), 1)
	require.ErrorContains(t, err, "outside its segment")
	require.NoError(t, m.Close())
}
