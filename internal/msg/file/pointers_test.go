package file

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/test/testkit"
)

// TestLargestOffset: what does not fit below it is an error, at the shared pointer too, which stays where it was.
func TestLargestOffset(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	ranks(t, 2, func(c *comm.Comm) error {
		f, err := Open(c, name, ReadWrite|Create, nil, nil)
		if err != nil {
			return err
		}
		if err := f.SeekShared(math.MaxInt64-4, FromStart); err != nil {
			return err
		}
		write := &Access{Write: true, Place: Shared, Memory: comm.Bytes(make([]byte, 100))}
		for _, do := range []func(*Access) (int, error){f.Do, f.DoAll} {
			if _, err := do(write); !errors.Is(err, ErrArgument) && !errors.Is(err, syscall.EFBIG) {
				return fmt.Errorf("write: %w", err)
			}
		}
		if at, err := f.PositionShared(); err != nil || at != math.MaxInt64-4 {
			return fmt.Errorf("the shared pointer is at %d: %w", at, err)
		}
		if err := f.SeekTo(math.MaxInt64, FromHere); err != nil {
			return err
		}
		if err := f.SeekTo(1, FromHere); !errors.Is(err, ErrArgument) {
			return fmt.Errorf("seek: %w", err)
		}
		return f.Close()
	})
}

// TestSharedPointer: records that ranks write by it, alone and in order, on one node and on several, are each there
// once and whole, and those of a rank in its order.
func TestSharedPointer(t *testing.T) {
	for _, way := range []string{"in place", "by calls on a node"} {
		seed := testkit.Seed(t)
		r := rand.New(rand.NewPCG(seed, 1))
		const n, rounds = 4, 20
		nodes := randomNodes(r, n)
		t.Logf("%s, nodes %v", way, nodes)
		name := filepath.Join(t.TempDir(), "file")
		var alone [rounds]bool
		var lengths [rounds][n]int
		total := 0
		for i := range rounds {
			alone[i] = r.IntN(2) == 0
			for rank := range n {
				lengths[i][rank] = 2 + r.IntN(100)
				total += lengths[i][rank]
			}
		}
		ranks(t, n, func(c *comm.Comm) error {
			f, err := Open(c, name, ReadWrite|Create, nil, nil)
			if err != nil {
				return err
			}
			if err := f.pretend(way, nodes); err != nil {
				return err
			}
			for i := range rounds {
				do := f.DoAll
				if alone[i] {
					do = f.Do
				}
				record := make([]byte, lengths[i][c.Rank()])
				for k := range record {
					record[k] = byte(i)
				}
				record[0] = byte(100 + c.Rank())
				if _, err := do(&Access{Write: true, Place: Shared, Memory: comm.Bytes(record)}); err != nil {
					return err
				}
			}
			if err := f.agree(nil); err != nil {
				return err
			}
			if at, err := f.PositionShared(); err != nil || at != int64(total) {
				return fmt.Errorf("the pointer is at %d of %d: %w", at, total, err)
			}
			if err := f.SeekShared(-8, FromEnd); err != nil {
				return err
			}
			if at, err := f.PositionShared(); err != nil || at != int64(total)-8 {
				return fmt.Errorf("the pointer is at %d of %d less 8: %w", at, total, err)
			}
			return f.Close()
		})
		bytes, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Equal(t, total, len(bytes))
		var next [n]int
		for len(bytes) > 0 {
			rank := int(bytes[0]) - 100
			require.Contains(t, []int{0, 1, 2, 3}, rank)
			i := next[rank]
			next[rank]++
			record := bytes[1:lengths[i][rank]]
			require.Equal(t, slices.Repeat([]byte{byte(i)}, len(record)), record, "record %d of rank %d", i, rank)
			bytes = bytes[len(record)+1:]
		}
	}
}

// TestFailingWindows: if one rank cannot read or write the file, all ranks of a collective call get an error, and
// nobody waits for its messages.
func TestFailingWindows(t *testing.T) {
	const n, block = 4, 100
	for _, way := range waysOfTest[2:] { // by messages
		for broken := range n {
			name := filepath.Join(t.TempDir(), "file")
			ranks(t, n, func(c *comm.Comm) error {
				f, err := Open(c, name, ReadWrite|Create, nil, nil)
				if err != nil {
					return err
				}
				if err := f.pretend(way, []int{0, 0, 2, 2}); err != nil {
					return err
				}
				if err := f.SetView(interleaved(c, block), nil, nil); err != nil {
					return err
				}
				f.mover.window = 1 << 10
				a := &Access{Write: true, Place: At(0), Memory: comm.Bytes(make([]byte, 50*block))}
				for range 2 {
					if _, err := f.DoAll(a); err != nil {
						return err
					}
					fd, wrong := f.mover.fd, os.O_WRONLY
					if a.Write {
						wrong = os.O_RDONLY
					}
					other, err := os.OpenFile(name, wrong, 0)
					if err != nil {
						return err
					}
					if c.Rank() == broken {
						f.mover.fd = int(other.Fd())
					}
					if _, err := f.DoAll(a); !errors.Is(err, syscall.EBADF) {
						return fmt.Errorf("%s, rank %d broken, write %v: %w", way, broken, a.Write, err)
					}
					f.mover.fd = fd
					if err := other.Close(); err != nil {
						return err
					}
					a.Write = false
				}
				return f.Close()
			})
		}
	}
}
