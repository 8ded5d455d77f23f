package launcher

import (
	"context"
	"time"

	"github.com/gopvas/gopvas/internal/node/job"
)

// turns let few ranks at once be between their start and the end of Init. Each needs some milliseconds of a CPU. If
// hundreds share it, their memory leaves its caches between two time slices, and they wait for the lock of the address
// space. With two for each CPU there is one that can run while another waits.
type turns struct {
	most  int // ranks that start at once; 0: any number
	begun int
}

const startsPerCPU = 2

// patience is how long a rank waits for its turn. If none of the others comes to the end of Init meanwhile, they do not
// call it, or get no CPU. From then on no rank waits. The supervisor does nothing else meanwhile, so it is short.
const patience = 50 * time.Millisecond

// await is called before each start.
func (t *turns) await(root *job.Root) {
	t.begun++
	if t.most == 0 || t.begun <= t.most {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if job.AwaitInit(ctx, root, t.begun-t.most) != nil {
		t.most = 0
	}
}
