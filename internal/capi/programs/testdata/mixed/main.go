// Mixed is half of a job whose other ranks are in C: ../mixed.c does the same.
package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/gopvas/gopvas/mpi"
)

const short, middle, long = 3, 1000, 100000

func main() {
	mpi.Run(func(world *mpi.Comm) error {
		steps := []func(*mpi.Comm) error{exchanges, column, collectives, halves}
		if len(os.Args) > 1 {
			steps = []func(*mpi.Comm) error{mismatch}
		}
		for _, step := range steps {
			if err := step(world); err != nil {
				return err
			}
		}
		_, err := fmt.Printf("Go: rank %d of %d\n", world.Rank(), world.Size())
		return err
	})
}

// check returns an error unless what holds.
func check(holds bool, what string, args ...any) error {
	if holds {
		return nil
	}
	return fmt.Errorf("not true: "+what, args...)
}

func exchanges(world *mpi.Comm) error {
	return errors.Join(exchange(world, short), exchange(world, middle), exchange(world, long))
}

func exchange(world *mpi.Comm, n int) error {
	rank, size := world.Rank(), world.Size()
	out, in := make([]float64, n), make([]float64, n)
	for k := 1; k < size; k++ {
		to, from := (rank+k)%size, (rank+size-k)%size
		for i := range out {
			out[i] = float64(rank + i)
		}
		st, err := mpi.Sendrecv(world, out, to, k, in, from, k)
		if err == nil {
			err = check(st.Count == n && st.Source == from && st.Tag == k && in[0] == float64(from) &&
				in[n-1] == float64(from+n-1),
				"%d numbers from %d: %+v", n, from, st)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func column(world *mpi.Comm) error {
	next, from := (world.Rank()+1)%world.Size(), (world.Rank()+world.Size()-1)%world.Size()
	out, in := make([]int32, middle), make([]int32, middle)
	for i := range out {
		out[i] = int32(world.Rank() + i)
	}
	sent, err := mpi.Isend(world, out, next, 0)
	if err != nil {
		return err
	}
	if _, err = mpi.Recv(world, in, from, 0); err != nil {
		return err
	}
	if _, err = sent.Wait(); err != nil {
		return err
	}
	return check(in[0] == int32(from) && in[middle-1] == int32(from+middle-1), "column of %d", from)
}

func halves(world *mpi.Comm) error {
	half, err := world.Split(world.Rank()%2, world.Rank())
	if err != nil {
		return err
	}
	return errors.Join(collectives(half), half.Free())
}

func collectives(c *mpi.Comm) error {
	me, all := c.Rank(), c.Size()
	out, in := make([]int32, all), make([]int32, all)
	for root := range all {
		word := []int64{0}
		if me == root {
			word[0] = int64(1000 + root)
		}
		if err := mpi.Bcast(c, word, root); err != nil {
			return err
		}
		if err := mpi.Gather(c, []int32{int32(me)}, in, root); err != nil {
			return err
		}
		if err := check(word[0] == int64(1000+root) && (me != root || in[all-1] == int32(all-1)),
			"root %d", root); err != nil {
			return err
		}
	}
	if err := reductions(c); err != nil {
		return err
	}
	for r := range out {
		out[r] = int32(100*me + r)
	}
	if err := mpi.Alltoall(c, out, in); err != nil {
		return err
	}
	for r := range in {
		if err := check(in[r] == int32(100*r+me), "alltoall from %d", r); err != nil {
			return err
		}
	}
	most := []int32{0}
	request, err := mpi.Iallreduce(c, []int32{int32(me)}, most, mpi.Max[int32]())
	if err != nil {
		return err
	}
	if _, err := request.Wait(); err != nil {
		return err
	}
	return errors.Join(check(most[0] == int32(all-1), "maximum"), c.Barrier())
}

func reductions(c *mpi.Comm) error {
	sum := []float64{0}
	if err := mpi.Allreduce(c, []float64{float64(c.Rank()) + 0.5}, sum, mpi.Sum[float64]()); err != nil {
		return err
	}
	bits := []uint32{0}
	if err := mpi.Allreduce(c, []uint32{1 << c.Rank()}, bits, mpi.BOr[uint32]()); err != nil {
		return err
	}
	return check(sum[0] == float64(c.Size()*c.Size())/2 && bits[0] == 1<<c.Size()-1, "sum %v, bits %x", sum, bits)
}

// mismatch adds numbers that are of another type in C.
func mismatch(world *mpi.Comm) error {
	err := mpi.Allreduce(world, []int64{1}, make([]int64, 1), mpi.Sum[int64]())
	if _, differs := errors.AsType[*mpi.MismatchError](err); !differs {
		return fmt.Errorf("ranks add numbers of two types: %v", err)
	}
	return world.Barrier()
}
