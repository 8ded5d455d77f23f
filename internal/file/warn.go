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
		fmt.Fprintf(os.Stderr, "%s: file: %q: the file system has no locks: atomic mode keeps no accesses apart\n",
			comm.Who(), name)
	})
}
