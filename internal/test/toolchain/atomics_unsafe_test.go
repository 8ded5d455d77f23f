package toolchain

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/internal/test/testkit"
)

const (
	envSide = "TOOLCHAIN_TEST_SIDE"

	places = 2048
)

// passes is how often both sides go through all places. A processor with a weak order of loads and stores gets ten
// million places in the long run.
func passes() uint32 {
	if testkit.Long() && runtime.GOARCH != "amd64" {
		return 5000
	}
	return 60
}

// litmus is what two processes share. In each pass both go through all places: a side stores to its own word of the
// place, and then loads that of the other. A plain word, written before, tells whether what was written before the
// store is seen behind a load that finds it.
type litmus struct {
	sides [2]struct {
		meets  atomic.Uint64 // meetings that the side has come to
		_      [56]byte
		words  [places]atomic.Uint32 // passes
		before [places]uint32        // likewise, plain
		seen   [places]uint32        // what the side has loaded from the other's word
	}
	sum atomic.Uint64 // both add 1 at each place
}

// mapLitmus maps the memory that both sides share.
func mapLitmus(f *os.File) (*litmus, error) {
	mem, err := syscall.Mmap(int(f.Fd()), 0, int(unsafe.Sizeof(litmus{})), syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_SHARED)
	if err != nil {
		return nil, err
	}
	return (*litmus)(unsafe.Pointer(unsafe.SliceData(mem))), nil
}

// atomics is one side.
func atomics() error {
	l, err := mapLitmus(os.NewFile(3, "memory"))
	if err != nil {
		return err
	}
	side, err := strconv.Atoi(os.Getenv(envSide))
	mine, theirs := &l.sides[side], &l.sides[1-side]
	meet := func() {
		for n := mine.meets.Add(1); theirs.meets.Load() < n; {
			runtime.Gosched()
		}
	}
	for pass := uint32(1); pass <= passes(); pass++ {
		meet()
		for i := range places {
			mine.before[i] = pass
			mine.words[i].Store(pass)
			if mine.seen[i] = theirs.words[i].Load(); mine.seen[i] == pass && theirs.before[i] != pass {
				err = fmt.Errorf("place %d: a store was seen before what was written before it", i)
			}
			l.sum.Add(1)
		}
		meet()
		for i := range places {
			if mine.seen[i] < pass && theirs.seen[i] < pass {
				return errors.Join(err, fmt.Errorf("place %d: both sides have loaded before the other's store", i))
			}
		}
	}
	return err
}

// testAtomics: operations of package sync/atomic on memory that two processes have mapped are in one total order.
func testAtomics(t *testing.T) {
	f, err := sys.SealedMemfd("toolchain", int64(unsafe.Sizeof(litmus{})))
	require.NoError(t, err)
	defer f.Close()
	var sides []*exec.Cmd
	for side := range 2 {
		cmd := process(t, "atomics", fmt.Sprintf("%s=%d", envSide, side))
		cmd.ExtraFiles, cmd.Stderr = []*os.File{f}, t.Output()
		require.NoError(t, cmd.Start())
		sides = append(sides, cmd)
	}
	for _, cmd := range sides {
		require.NoError(t, cmd.Wait())
	}
	l, err := mapLitmus(f)
	require.NoError(t, err)
	require.EqualValues(t, 2*passes()*places, l.sum.Load(), "an addition was lost")
}
