package mpi

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/msg/btl/mem"
	"github.com/gopvas/gopvas/internal/node/job/jobtest"
	"github.com/gopvas/gopvas/internal/test/testkit"
)

// viewLengths are of messages of all ways that there are: inline, eager, zero-copy, shared.
var viewLengths = []int{0, 1, 9, 700, 3000, 40_000}

// columnOf is a view of n elements of memory of its own, i columns wide.
func columnOf(n, wide int) View[int32] {
	if n == 0 {
		return View[int32]{}
	}
	return Vector(make([]int32, n*wide), n, 1, wide)
}

// formsOfViews sends views in the synchronous, nonblocking and persistent forms, and receives
// them in each, also those that a probe has found.
func formsOfViews(c *Comm) error {
	left, right := ring(c)
	for _, n := range viewLengths {
		out, in := columnOf(n, 3), columnOf(n, 2)
		sends := []func() (Request, error){
			func() (Request, error) { return out.Isend(c, right, 7) },
			func() (Request, error) { return out.Issend(c, right, 7) },
			func() (Request, error) {
				r, err := out.SendInit(c, right, 7)
				return r, first(err, r.Start())
			},
		}
		receives := []func() (Status, error){
			func() (Status, error) { return in.Recv(c, left, 7) },
			func() (Status, error) { return in.Recv(c, AnySource, AnyTag) },
			func() (Status, error) {
				m, _, err := Mprobe(c, left, 7)
				if err != nil {
					return Status{}, err
				}
				return in.Mrecv(&m)
			},
			func() (Status, error) {
				r, err := in.RecvInit(c, left, 7)
				if err := first(err, r.Start()); err != nil {
					return Status{}, err
				}
				st, err := r.Wait()
				return st, first(err, r.Free())
			},
		}
		for i, send := range sends {
			for j, receive := range receives {
				salt := 100*n + 10*i + j
				out.put(numbers(n, salt+c.Rank()))
				in.put(make([]int32, n))
				s, sendErr := send()
				st, err := receive()
				_, waitErr := s.Wait()
				if i == 2 {
					waitErr = first(waitErr, s.Free())
				}
				if err := first(sendErr, err, waitErr, want("count", st.Count, n), want("source", st.Source, left),
					checkNumbers(in.elements(), salt+left)); err != nil {
					return fmt.Errorf("%d elements by way %d and %d: %w", n, i, j, err)
				}
				// A wildcard must not find what a neighbour sends in the next round.
				if err := c.Barrier(); err != nil {
					return err
				}
			}
		}
		if err := ssendView(c, n); err != nil {
			return fmt.Errorf("ssend of %d elements: %w", n, err)
		}
	}
	return nil
}

// ssendView goes around the ring from rank 0, and ends there.
func ssendView(c *Comm, n int) error {
	left, right := ring(c)
	v := columnOf(n, 2)
	if c.Rank() == 0 {
		v.put(numbers(n, 5))
		if c.Size() == 1 {
			return nil // nobody would receive it
		}
		if err := v.Ssend(c, right, 8); err != nil {
			return err
		}
	}
	if c.Size() > 1 {
		v.put(make([]int32, n))
		if _, err := v.Recv(c, left, 8); err != nil {
			return err
		}
	}
	if c.Rank() > 0 {
		if err := v.Ssend(c, right, 8); err != nil {
			return err
		}
	}
	return checkNumbers(v.elements(), 5)
}

// record has a part in the middle that does not travel.
type record struct {
	Key    int64
	Secret [3]int32
	Value  [5]uint16
	Flag   uint8
}

// publicRecord is the datatype of what travels of a record.
func publicRecord() (*datatype.Type, error) {
	t, err := datatype.Struct([]int64{1, 5, 1}, []int64{0, 20, 30},
		[]*datatype.Type{datatype.Int64, datatype.Uint16, datatype.Uint8})
	if err != nil {
		return nil, err
	}
	return datatype.Resized(t, 0, 32)
}

// viewsAmongOthers waits at once for requests for views, typed ones, slices and collectives.
func viewsAmongOthers(c *Comm) error {
	left, right := ring(c)
	t, err := publicRecord()
	if err != nil {
		return err
	}
	const records, n = 900, 5000
	of := func(rank int) []record {
		return upTo(records, func(i int) record {
			return record{Key: int64(rank*1000 + i), Secret: [3]int32{int32(rank + 1)},
				Value: [5]uint16{4: uint16(i)}, Flag: 1}
		})
	}
	theirs, mine := make([]record, records), of(c.Rank())
	plain, column, sum := make([]int32, n), columnOf(n, 3), columnOf(n, 2)
	out := columnOf(n, 2)
	out.put(numbers(n, c.Rank()))
	if c.Rank() == 0 {
		sum.put(numbers(n, 99))
	}
	var requests []Request
	for _, begin := range []func() (Request, error){
		func() (Request, error) { return Typed(theirs, t, records).Irecv(c, left, 1) },
		func() (Request, error) { return Irecv(c, plain, left, 2) },
		func() (Request, error) { return sum.Ibcast(c, 0) },
		func() (Request, error) { return out.Issend(c, right, 2) },
		func() (Request, error) { return Typed(mine, t, records).Isend(c, right, 1) },
		func() (Request, error) { return column.Irecv(c, left, 3) },
		func() (Request, error) { return Isend(c, numbers(n, c.Rank()), right, 3) },
	} {
		r, err := begin()
		if err != nil {
			return err
		}
		requests = append(requests, r)
	}
	arrived := of(left)
	for i := range arrived {
		arrived[i].Secret = [3]int32{}
	}
	sts := make([]Status, len(requests))
	return first(WaitAll(requests, sts), want("records", sts[0].Count, records), eq("records", theirs, arrived),
		checkNumbers(plain, left),
		checkNumbers(column.elements(), left), checkNumbers(sum.elements(), 99))
}

// TestMessagesOfViewsDoNotAllocate: between two ranks, by each way that messages take, and
// in broadcasts of few bytes and of many.
func TestMessagesOfViewsDoNotAllocate(t *testing.T) {
	if testkit.Race {
		t.Skip("the race detector allocates")
	}
	check := func(c *Comm) error {
		for _, n := range viewLengths[1:] {
			out, in := columnOf(n, 3), columnOf(n, 2)
			const rounds = 400
			exchange := func() (err error) {
				for i := 0; i < rounds && err == nil; i++ {
					if c.Rank() == 0 {
						err = out.Send(c, 1, 0)
					}
					if err == nil {
						_, err = in.Recv(c, 1-c.Rank(), 0)
					}
					if err == nil && c.Rank() == 1 {
						err = out.Send(c, 0, 0)
					}
				}
				return err
			}
			if err := exchange(); err != nil {
				return err
			}
			again := []bool{true}
			for try := 0; again[0]; try++ {
				got, err := countAllocations(c, exchange)
				again[0] = got > rounds/10+200
				if err := first(err, Bcast(c, again, 0)); err != nil {
					return err
				}
				if again[0] && try == 3 {
					return fmt.Errorf("%d elements: %d allocations in %d rounds", n, got, rounds)
				}
			}
		}
		return nil
	}
	overMem(t, 2, 8, mem.Options{}, check)
	inOneSpace(t, 2, check)
}

// viewsUntilDeath exchanges views and does collectives on them until a rank is lost; the last
// rank kills itself meanwhile.
func viewsUntilDeath(c *Comm) error {
	if err := lastDies(c); err != nil {
		return err
	}
	left, right := ring(c)
	for i := 0; ; i++ {
		n := []int{1, 50_000, 10, 300_000, 1000}[i%5]
		out, in := columnOf(n, 2), columnOf(n, 3)
		_, err := out.Sendrecv(c, right, 0, in, left, 0)
		if err == nil && i%2 == 0 {
			err = in.Allgather(c, upTo(c.Size(), func(int) View[int32] { return columnOf(n, 2) }))
		}
		if err == nil && i%2 == 1 {
			err = result(in.Ibcast(c, i%c.Size()))
		}
		if _, ok := errors.AsType[*LostError](err); ok {
			return reportLost(c, err)
		}
		if err != nil {
			return err
		}
		runtime.Gosched()
	}
}

// TestKilledAmongViews kills one of three processes while views are copied.
func TestKilledAmongViews(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	d := rand.New(rand.NewPCG(seed, 0))
	for range 8 {
		life := d.IntN(60_000)
		for rank, e := range jobtest.Start(t, smJob(3), "views until death", fmt.Sprintf("LIFE=%d", life)).Wait() {
			if rank == 2 {
				require.Equal(t, syscall.SIGKILL, e.Signal, e.Stderr)
				continue
			}
			require.Equal(t, 3, e.Code, "life %d us: rank %d: %s", life, rank, e.Stderr)
			require.Contains(t, []string{"2", strconv.Itoa(1 - rank)}, e.Stdout)
		}
	}
}
