package mpi

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gopvas/gopvas/internal/msg/btl/mem"
	"github.com/gopvas/gopvas/internal/test/testkit"
)

// oneOfEach: values go where slices of one element would.
func oneOfEach(c *Comm) error {
	n, me := c.Size(), c.Rank()
	for root := range n {
		sent, err1 := BcastOne(c, pairOf(me, root), root)
		gathered, err2 := GatherOne(c, 2*me, root)
		var all []int
		if me == root {
			all = upTo(n, func(i int) int { return 3*i + root })
		}
		scattered, err3 := ScatterOne(c, all, root)
		sum, err4 := ReduceOne(c, me, Sum[int](), root)
		if err := first(err1, err2, err3, err4, want("bcast", sent, pairOf(root, root)),
			want("scatter", scattered, 3*me+root)); err != nil {
			return err
		}
		if me == root {
			err := first(eq("gather", gathered, upTo(n, func(i int) int { return 2 * i })), want("sum", sum, n*(n-1)/2))
			if err != nil {
				return err
			}
		} else if gathered != nil || sum != 0 {
			return fmt.Errorf("elsewhere there is %v and %d", gathered, sum)
		}
	}
	all, err1 := AllgatherOne(c, me*me)
	most, err2 := AllreduceOne(c, float64(me), Max[float64]())
	upToMe, err3 := ScanOne(c, me, Sum[int]())
	below, err4 := ExscanOne(c, me+1, Sum[int]())
	left, right := ring(c)
	err5 := SendOne(c, int8(me), right, 3)
	got, st, err6 := RecvOne[int8](c, left, 3)
	return first(err1, err2, err3, err4, err5, err6, eq("allgather", all, upTo(n, func(i int) int { return i * i })),
		want("max", most, float64(n-1)), want("scan", upToMe, me*(me+1)/2), want("exscan", below, me*(me+1)/2),
		want("received", got, int8(left)), want("count", st.Count, 1))
}

// pairOf is a struct of two numbers.
func pairOf(a, b int) struct{ A, B int32 } { return struct{ A, B int32 }{int32(a), int32(b)} }

// allocated: parts of lengths that only their owners know arrive as they were.
func allocated(c *Comm) error {
	n, me := c.Size(), c.Rank()
	for _, scale := range []int{0, 1, 700} {
		part := func(from, to int) []int32 { return numbers(scale*((from+2*to)%3), from+10*to) }
		for root := range n {
			buf := []int32{5, 6, 7}
			if me == root {
				buf = part(root, 1)
			}
			got, err1 := BcastAlloc(c, buf, root)
			parts, err2 := GatherAlloc(c, part(me, root), root)
			flat, err4 := GatherFlat(c, part(me, root), root)
			var out [][]int32
			if me == root {
				out = upTo(n, func(i int) []int32 { return part(root, i) })
			}
			mine, err3 := ScatterAlloc(c, out, root)
			own, err5 := ScatterFlat(c, slices.Concat(out...), root)
			whole, err6 := AllgatherFlat(c, own)
			total := 0
			for i := range n {
				total += len(part(root, i))
			}
			from, end := c.Block(total, me)
			if err := first(err5, err6, want("block", len(own), end-from), want("all", len(whole), total)); err != nil {
				return err
			}
			if me == root {
				if err := eq("blocks", whole, slices.Concat(out...)); err != nil {
					return err
				}
			}
			if err := first(err1, err2, err3, err4, eq("flat", flat, slices.Concat(parts...)),
				eq("bcast", got, part(root, 1)), eq("scatter", mine, part(root, me))); err != nil {
				return err
			}
			if me != root {
				if parts != nil {
					return fmt.Errorf("gather leaves %d parts elsewhere", len(parts))
				}
				continue
			}
			if err := eqParts("gather", parts, n, func(i int) []int32 { return part(i, root) }); err != nil {
				return err
			}
		}
		var none []int32
		if own := part(me, 0); len(own) > 0 {
			none = own // else nil
		}
		all, err1 := AllgatherAlloc(c, none)
		got, err2 := AlltoallAlloc(c, upTo(n, func(i int) []int32 { return part(me, i) }))
		flatAll, err3 := AllgatherFlat(c, none)
		flatGot, err4 := AlltoallFlat(c, upTo(n, func(i int) []int32 { return part(me, i) }))
		if err := first(err1, err2, err3, err4, eq("allgather", flatAll, slices.Concat(all...)),
			eq("alltoall", flatGot, slices.Concat(got...)),
			eqParts("allgather", all, n, func(i int) []int32 { return part(i, 0) }),
			eqParts("alltoall", got, n, func(i int) []int32 { return part(i, me) })); err != nil {
			return err
		}
	}
	return nil
}

func eqParts(what string, parts [][]int32, n int, part func(i int) []int32) error {
	if len(parts) != n {
		return fmt.Errorf("%s: %d parts, not %d", what, len(parts), n)
	}
	for i, have := range parts {
		if err := eq(fmt.Sprintf("%s, part %d", what, i), have, part(i)); err != nil {
			return err
		}
		if cap(have) != len(have) {
			return fmt.Errorf("%s, part %d: an append would write to the next part", what, i)
		}
	}
	return nil
}

// allocRefused: a call that the root is refused is told to all, and the calls after it arrive.
func allocRefused(c *Comm) error {
	root := c.Size() - 1
	for round := range 10 {
		_, err1 := ScatterAlloc(c, make([][]int, root), root) // one part is missing
		_, err2 := AlltoallAlloc(c, make([][]int, c.Size()-b2i(c.Rank() == root)))
		for _, err := range []error{err1, err2} {
			_, short := errors.AsType[*BufferError](err)
			_, told := errors.AsType[*MismatchError](err)
			if root > 0 && short != (c.Rank() == root) || !short && !told {
				return fmt.Errorf("round %d: %w", round, err)
			}
		}
		if sum, err := AllreduceOne(c, 1, Sum[int]()); err != nil || sum != c.Size() {
			return fmt.Errorf("round %d, after it: %d, %w", round, sum, err)
		}
	}
	_, err := AllreduceOne(c, "text", (*Op[string])(nil))
	if _, wrong := errors.AsType[*TypeError](err); !wrong {
		return fmt.Errorf("a string: %w", err)
	}
	_, err = AllreduceOne(c, new(int), NewOp(func(_, _ []*int) {}, true))
	_, err2 := AlltoallAlloc(c, make([][]*int, c.Size()))
	for _, err := range []error{err, err2} {
		if strings.Count(fmt.Sprint(err), "*int cannot be sent") != 1 {
			return fmt.Errorf("a pointer, told other than once: %w", err)
		}
	}
	return nil
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// evenBlocks: the blocks of all ranks are all there is, in their order.
func evenBlocks(c *Comm) error {
	size := c.Size()
	for _, n := range []int{0, 1, size - 1, size, 7*size + 1, 1000, math.MaxInt} {
		last := 0
		for rank := range size {
			first, end := c.Block(n, rank)
			if own := end - first; first != last || own != n/size && own != n/size+1 {
				return fmt.Errorf("rank %d of %d has [%d, %d) of %d, and the one before ends at %d", rank, size,
					first, end, n, last)
			}
			last = end
		}
		if from, end := c.Block(n, -1); from != 0 || end != 0 {
			return fmt.Errorf("rank -1 has [%d, %d)", from, end)
		}
		if from, end := c.Block(n, size); last != n || from != n || end != n {
			return fmt.Errorf("the last of %d ends at %d, and behind it is [%d, %d)", n, last, from, end)
		}
	}
	from, end := c.Block(-5, 0)
	none, nobody := (*Comm)(nil).Block(9, 0)
	return first(want("of fewer than nothing", [2]int{from, end}, [2]int{}),
		want("nil", [2]int{none, nobody}, [2]int{}))
}

// batches: all that was begun is over when WaitBatch returns, whatever has happened.
func batches(c *Comm) error {
	left, right := ring(c)
	const n = 50
	in := make([][]int32, n)
	var st *Status
	err := WaitBatch(func(b *Batch) error {
		for i := range in {
			in[i] = make([]int32, i+1)
			st = b.Add(Irecv(c, in[i], left, i))
		}
		for i := range in {
			b.Add(Isend(c, numbers(i+1, i), right, i))
		}
		return nil
	})
	if err := first(err, want("count", st.Count, n), want("source", st.Source, left)); err != nil {
		return err
	}
	for i := range in {
		if err := checkNumbers(in[i], i); err != nil {
			return err
		}
	}
	odd := errors.New("odd")
	err = WaitBatch(func(b *Batch) error {
		b.Add(Irecv(c, in[0], left, 1000)) // nobody sends it
		b.Add(Isend(c, in[0], c.Size(), 1000))
		return odd
	})
	_, wrongRank := errors.AsType[*RankError](err)
	if err := first(wantIs("error of the function", err, odd), want("rank error", wrongRank, true)); err != nil {
		return err
	}
	if err := c.Barrier(); err != nil {
		return err
	}
	err = WaitBatch(func(b *Batch) error { // one operation fails: the receive that waits for it is cancelled
		b.Add(Irecv(c, in[0], left, 1000))
		b.Add(Irecv(c, in[0], left, 1001))
		b.Add(Isend(c, in[1], right, 1001))
		return nil
	})
	if _, long := errors.AsType[*TruncateError](err); !long {
		return fmt.Errorf("of a message that is too long: %w", err)
	}
	func() {
		defer func() { err = recover().(error) }()
		_ = WaitBatch(func(b *Batch) error {
			b.Add(Irecv(c, in[0], left, 1000))
			panic(odd)
		})
	}()
	return wantIs("panic", err, odd)
}

// iterated: a loop over messages takes them in their order, and loses none after its end.
func iterated(c *Comm) error {
	left, right := ring(c)
	const n = 20
	var sends []Request
	for i := range n {
		r, err := Isend(c, numbers(i, i), right, 8)
		if err != nil {
			return err
		}
		sends = append(sends, r)
	}
	i := 0
	for range 2 {
		for m, err := range Messages[int32](c, AnySource, 8) {
			if err := first(err, want("source", m.Source, left), want("length", len(m.Elements), i),
				checkNumbers(m.Elements, i)); err != nil {
				return err
			}
			if i++; i%(n/2) == 0 {
				break
			}
		}
	}
	steps := 0
	for _, err := range Messages[int32](c, c.Size(), 8) {
		if _, wrong := errors.AsType[*RankError](err); !wrong {
			return fmt.Errorf("a rank that there is not: %w", err)
		}
		steps++
	}
	return first(want("steps", steps, 1), drain(sends))
}

// A call of one value allocates its result, no more.
func TestOneAllocatesItsResult(t *testing.T) {
	if testkit.Race {
		t.Skip("the race detector allocates")
	}
	overMem(t, 1, 1, mem.Options{}, func(c *Comm) error {
		sum := Sum[float64]()
		var failed error
		n := testing.AllocsPerRun(1000, func() {
			if _, err := AllreduceOne(c, 1.5, sum); err != nil {
				failed = err
			}
		})
		return first(failed, want("allocations", n, 1))
	})
}

// BenchmarkOne is what calls of one value cost more than those of slices, without other ranks.
func BenchmarkOne(b *testing.B) {
	send, recv, sum := []float64{1.5}, make([]float64, 1), Sum[float64]()
	for name, call := range map[string]func(c *Comm) error{
		"call=allreduce/form=slice": func(c *Comm) error { return Allreduce(c, send, recv, sum) },
		"call=allreduce/form=one":   func(c *Comm) error { return ErrOf(AllreduceOne(c, 1.5, sum)) },
		"call=bcast/form=slice":     func(c *Comm) error { return Bcast(c, recv, 0) },
		"call=bcast/form=one":       func(c *Comm) error { return ErrOf(BcastOne(c, 1.5, 0)) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			overMem(b, 1, 1, mem.Options{}, func(c *Comm) error {
				for range b.N {
					if err := call(c); err != nil {
						return err
					}
				}
				return nil
			})
		})
	}
}
