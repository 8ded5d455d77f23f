package file

import (
	"fmt"
	"os"
	"sync"

	"github.com/gopvas/gopvas/internal/comm"
)

var toldOfLocks sync.Once

// noLocks says once that accesses in atomic mode are not locked.
func noLocks(name string) {
	toldOfLocks.Do(func() {
		fmt.Fprintf(os.Stderr, "%s: file: %q: the file system has no locks: accesses in atomic mode are not kept apart\n",
			comm.Who(), name)
	})
}
