// Command files makes ranks write and read a file together: files NAME SEED ROUNDS. In each round a random owner has
// each block of a part of the file, or nobody has it. All ranks draw the same, and know what the file must hold. After
// the last one they write records by the shared pointer; with -1 rounds they do that until they are ended. With a
// further argument the last rank kills itself after so many microseconds.
package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/mpi"
)

func main() {
	world, err := mpi.Init()
	if err == nil && len(os.Args) > 4 && world.Rank() == world.Size()-1 {
		after, _ := strconv.Atoi(os.Args[4])
		time.AfterFunc(time.Duration(after)*time.Microsecond, func() { _ = syscall.Kill(os.Getpid(), syscall.SIGKILL) })
	}
	if err == nil {
		err = run(world, os.Args[1], os.Args[2], os.Args[3])
	}
	if err == nil {
		err = world.Finalize()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "files:", err)
		os.Exit(1)
	}
}

func run(world *mpi.Comm, name, seed, rounds string) error {
	s, err := strconv.ParseUint(seed, 10, 64)
	n, bad := strconv.Atoi(rounds)
	if err != nil || bad != nil {
		return fmt.Errorf("seed %q, rounds %q", seed, rounds)
	}
	r := rand.New(rand.NewPCG(s, 0))
	hints := map[string]string{"cb_buffer_size": strconv.Itoa(64 << 10)}
	f, err := mpi.OpenFile(world, name, mpi.FileCreate|mpi.FileReadWrite|mpi.FileDeleteOnClose, hints)
	if err != nil {
		return err
	}
	host, _ := os.Hostname()
	fmt.Printf("rank %d of %d on %s pid %d\n", world.Rank(), world.Size(), host, os.Getpid())
	var model []byte
	for round := range n {
		p := draw(r, world.Size())
		if err := p.play(world, f, &model); err != nil {
			return fmt.Errorf("round %d: %w", round, err)
		}
	}
	err = records(world, f, len(model))
	for n < 0 && err == nil {
		if err = f.SetSize(0); err == nil {
			err = records(world, f, 0)
		}
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// plan is what all ranks write in a round.
type plan struct {
	displacement, block int
	blocks              [][]int64 // by rank: which it has
	salt                byte
}

func draw(r *rand.Rand, ranks int) plan {
	p := plan{displacement: r.IntN(5000), block: 1 + r.IntN([]int{8, 100, 5000}[r.IntN(3)]),
		blocks: make([][]int64, ranks), salt: byte(r.IntN(256))}
	nobody := r.IntN(3) // holes: none, some, or one of ranks+1
	for i := range 20 + r.Int64N(300) {
		owner := r.IntN(ranks + nobody)
		if owner < ranks {
			p.blocks[owner] = append(p.blocks[owner], i)
		}
	}
	return p
}

// of is a byte that a rank writes.
func (p *plan) of(rank, i int) byte { return p.salt + byte(rank*41+i*7+i/251) }

func (p *plan) play(world *mpi.Comm, f *mpi.File, model *[]byte) error {
	rank := world.Rank()
	for owner, blocks := range p.blocks {
		for k, b := range blocks {
			at := p.displacement + int(b)*p.block
			if len(*model) < at+p.block {
				*model = append(*model, make([]byte, at+p.block-len(*model))...)
			}
			for i := range p.block {
				(*model)[at+i] = p.of(owner, k*p.block+i)
			}
		}
	}
	out := make([]byte, len(p.blocks[rank])*p.block)
	for i := range out {
		out[i] = p.of(rank, i)
	}
	if err := p.show(f, rank); err != nil {
		return err
	}
	if n, err := mpi.WriteFileAll(f, mpi.FileOffset(0), out); err != nil || n != len(out) {
		return fmt.Errorf("write: %d of %d: %w", n, len(out), err)
	}
	next := (rank + 1) % world.Size()
	if err := p.show(f, next); err != nil {
		return err
	}
	in := make([]byte, len(p.blocks[next])*p.block)
	if n, err := mpi.ReadFileAll(f, mpi.FileOffset(0), in); err != nil || n != len(in) {
		return fmt.Errorf("read: %d of %d: %w", n, len(in), err)
	}
	for i, v := range in {
		if v != p.of(next, i) {
			return fmt.Errorf("byte %d of rank %d is %d, not %d", i, next, v, p.of(next, i))
		}
	}
	if err := f.SetView(0, datatype.Byte, datatype.Byte); err != nil {
		return err
	}
	all := make([]byte, len(*model)+10)
	n, err := mpi.ReadFile(f, mpi.FileOffset(0), all)
	if err != nil || !slices.Equal(all[:n], *model) {
		return fmt.Errorf("the file of %d bytes is not what it must be, of %d: %w", n, len(*model), err)
	}
	return world.Barrier() // before anybody writes again
}

// show sets the view that has the blocks of a rank.
func (p *plan) show(f *mpi.File, rank int) error {
	lengths := slices.Repeat([]int64{int64(p.block)}, len(p.blocks[rank]))
	places := make([]int64, len(lengths))
	for i, b := range p.blocks[rank] {
		places[i] = b * int64(p.block)
	}
	if len(lengths) == 0 {
		return f.SetView(0, datatype.Byte, datatype.Byte)
	}
	t, err := datatype.Indexed(lengths, places, datatype.Byte)
	if err != nil {
		return err
	}
	return f.SetView(int64(p.displacement), datatype.Byte, t)
}

// records makes ranks write by the shared pointer, each for itself and now and then all together, and counts what is
// there.
func records(world *mpi.Comm, f *mpi.File, end int) error {
	if err := f.SetView(int64(end), datatype.Int64, datatype.Int64); err != nil {
		return err
	}
	const each = 25
	record := make([]int64, 5)
	for i := range each {
		for k := range record {
			record[k] = int64(world.Rank()*each + i)
		}
		write := mpi.WriteFile[int64]
		if i%10 == 9 {
			write = mpi.WriteFileAll[int64]
		}
		if _, err := write(f, mpi.SharedFilePointer, record); err != nil {
			return err
		}
	}
	if err := world.Barrier(); err != nil {
		return err
	}
	all := make([]int64, (each*world.Size()+1)*len(record))
	n, err := mpi.ReadFile(f, mpi.FileOffset(0), all)
	if err != nil || n != each*world.Size()*len(record) {
		return fmt.Errorf("%d numbers of records: %w", n, err)
	}
	seen := map[int64]bool{}
	for ; n > 0; n -= len(record) {
		for k := range record {
			if all[k] != all[0] || seen[all[0]] {
				return fmt.Errorf("a record is %d", all[:len(record)])
			}
		}
		seen[all[0]] = true
		all = all[len(record):]
	}
	return nil
}
