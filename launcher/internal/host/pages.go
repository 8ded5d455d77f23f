package host

import (
	"bytes"
	"context"
	"os"

	"github.com/gopvas/gopvas/internal/node/areas"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/sys"
)

// usePages decides whether ranks may have transparent huge pages, without which this process was started. That matters
// where the system gives them to all. With them the heap of an idle rank, of 0.5 MiB, takes up to 4 MiB. So a job of
// more ranks than CPUs has none but where they are asked for. Large ranks have a CPU each, and memory: they gain by
// huge pages. But what a rank has in Init is small. So they come after that: the blocks of 2 MiB that it has touched by
// then keep small pages.
func (h *host) usePages(req *CreateRequest) {
	keepSmallPages()
	given, _ := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled") // none: the kernel has none
	cpus, err := sys.Affinity()
	switch {
	case req.HugePages || err != nil || !bytes.Contains(given, []byte("[always]")):
		_ = sys.HugePagesOn()
	case req.Tasks <= len(cpus):
		h.smallUntil = req.Tasks
	}
}

// hugePagesFrom allows huge pages when so many ranks are in Init. It ends at once if one has gone before: the job is
// over.
func hugePagesFrom(root *job.Root, inInit int) {
	if job.AwaitInit(context.Background(), root, inInit) == nil {
		_ = sys.HugePagesOn()
	}
}

// keepSmallPages has what this process has by now keep small pages: it is little, and the kernel would put a huge page
// in the place of each.
func keepSmallPages() {
	maps, err := os.Open("/proc/self/maps")
	if err != nil {
		return // it takes more memory, no more
	}
	defer maps.Close()
	_ = areas.Read(maps, func(a areas.Area) {
		if a.Access == "rw-p" {
			_ = sys.Madvise(uintptr(a.Start), uintptr(a.End-a.Start), sys.MadvNoHugePage)
		}
	})
}
