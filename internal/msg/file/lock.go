package file

import (
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/node/sys"
)

// lock locks a range of the file against others that lock. A file system without locks has none: then all goes on
// without. The kernel gives a lock back when its rank ends.
func (m *mover) lock(write bool, lo, hi int64) (unlock func(), err error) {
	err = sys.LockRange(m.fd, write, lo, hi)
	if errors.Is(err, sys.ErrNoLocks) {
		noLocks.Do(func() {
			fmt.Fprintf(os.Stderr, "%s: file: the file system has no locks: accesses of other files and in atomic "+
				"mode are not kept apart\n", comm.Who())
		})
		return func() {}, nil
	}
	return func() { _ = sys.UnlockRange(m.fd, lo, hi) }, err
}

// noLocks says once that there are none.
var noLocks sync.Once
