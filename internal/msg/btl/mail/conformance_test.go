package mail_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/msg/btl/btltest"
	"github.com/gopvas/gopvas/internal/msg/btl/mail"
	"github.com/gopvas/gopvas/internal/msg/btl/mem"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/job/jobtest"
	"github.com/gopvas/gopvas/internal/test/testkit"
)

// memory is on Go's heap, which the race detector sees. As between processes, peers attach only what Alloc has
// returned.
type memory struct{ *mem.Module }

func (memory) Name() string { return job.BTLSM.String() }

type module struct {
	*mail.Box
	btl.Memory
}

// TestConformance runs the suite with ranks as goroutines.
func TestConformance(t *testing.T) {
	for _, c := range btltest.Cases() {
		for _, ranks := range []int{2, 5} {
			if ranks > 2 && testkit.Race {
				continue
			}
			t.Run(fmt.Sprintf("%s/ranks=%d", c.Name, ranks), func(t *testing.T) {
				m, err := job.InHeap(job.Config{Ranks: ranks, BTL: job.BTLSM, CPUs: 2,
					Settings: job.Settings{SingleCopy: job.SingleCopyNone}})
				require.NoError(t, err)
				root, world := m.Root(), mem.New(m.Root(), mem.Options{})
				jobtest.Ranks(t, root, func(rank int) error {
					memory := memory{world.Module(rank)}
					box, err := mail.Open(memory, root, rank)
					if err != nil {
						return err
					}
					return c.Run(module{box, memory}, root, rank)
				})
			})
		}
	}
}
