package shared

import (
	"math/bits"

	"github.com/gopvas/gopvas/internal/node/sys"
)

// lines gives out runs of cache lines of the module's memory, and takes them back. A
// run that was given back is given out again as a run of the same length, by the same
// lines: what lies in it is always of the same kind. See layout.go.
type lines struct {
	alloc func(n int) ([]byte, error)
	kept  [][]byte     // all that was allocated
	free  [32][]uint64 // addresses, by the logarithm of the length
	next  uint64       // what was allocated and not given out yet
	end   uint64
	bytes uint64 // given out, and not back
}

const chunk = 64 << 10

// take returns the address of n lines, at least; they are not filled with zeros.
func (l *lines) take(n int) (uint64, error) {
	class := bits.Len(uint(max(n, 1) - 1))
	if last := len(l.free[class]) - 1; last >= 0 {
		at := l.free[class][last]
		l.free[class] = l.free[class][:last]
		l.bytes += cacheLine << class
		return at, nil
	}
	need := uint64(cacheLine) << class
	if l.end-l.next < need {
		mem, err := l.alloc(int(max(need, chunk)))
		if err != nil {
			return 0, err
		}
		l.kept = append(l.kept, mem)
		l.next = uint64(sys.AddrOf(mem))
		l.end = l.next + uint64(len(mem))
	}
	at := l.next
	l.next += need
	l.bytes += need
	return at, nil
}

// give takes back what take has returned for n lines.
func (l *lines) give(at uint64, n int) {
	class := bits.Len(uint(max(n, 1) - 1))
	l.free[class] = append(l.free[class], at)
	l.bytes -= cacheLine << class
}

// linesFor returns how many lines so many words of four bytes take.
func linesFor(words int) int { return (words*4 + cacheLine - 1) / cacheLine }
