//go:build !race

package mpi_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gopvas/gopvas/mpi"
)

// One value of each rank needs no slices: here the mean and the deviation of a number that each rank has.
func ExampleAllreduceOne() {
	ranks(4, func(world *mpi.Comm) error {
		x := float64(world.Rank())
		sum, err := mpi.AllreduceOne(world, x, mpi.Sum[float64]())
		if err != nil {
			return err
		}
		mean := sum / float64(world.Size())
		squares, err := mpi.ReduceOne(world, (x-mean)*(x-mean), mpi.Sum[float64](), 0)
		if err == nil && world.Rank() == 0 {
			fmt.Printf("mean %.1f, deviation %.2f\n", mean, math.Sqrt(squares/float64(world.Size())))
		}
		return err
	})
	// Output: mean 1.5, deviation 1.12
}

// Each rank learns where its lines begin in a list of all.
func ExampleExscanOne() {
	ranks(4, func(world *mpi.Comm) error {
		lines := 10 * (world.Rank() + 1)
		first, err := mpi.ExscanOne(world, lines, mpi.Sum[int]())
		if err != nil {
			return err
		}
		end, err := mpi.ScanOne(world, lines, mpi.Sum[int]())
		if err != nil {
			return err
		}
		fmt.Printf("rank %d: lines %d to %d\n", world.Rank(), first, end-1)
		return nil
	})
	// Unordered output:
	// rank 0: lines 0 to 9
	// rank 1: lines 10 to 29
	// rank 2: lines 30 to 59
	// rank 3: lines 60 to 99
}

// Rank 0 gives all the same seed and each its own task, and has the results in the order of the ranks.
func ExampleScatterOne() {
	ranks(4, func(world *mpi.Comm) error {
		seed, err := mpi.BcastOne(world, 7*(1-world.Rank()), 0) // the others' value does not matter
		if err != nil {
			return err
		}
		var tasks []int
		if world.Rank() == 0 {
			for i := range world.Size() {
				tasks = append(tasks, 100*i)
			}
		}
		task, err := mpi.ScatterOne(world, tasks, 0)
		if err != nil {
			return err
		}
		results, err := mpi.GatherOne(world, task+seed, 0)
		if err == nil && world.Rank() == 0 {
			fmt.Println(results)
		}
		return err
	})
	// Output: [7 107 207 307]
}

// A value goes around.
func ExampleSendOne() {
	ranks(4, func(world *mpi.Comm) error {
		n, me := world.Size(), world.Rank()
		if me == 0 {
			if err := mpi.SendOne(world, 1.5, 1%n, 0); err != nil {
				return err
			}
		}
		x, _, err := mpi.RecvOne[float64](world, (me+n-1)%n, 0)
		if err != nil {
			return err
		}
		if me == 0 {
			fmt.Println(x)
			return nil
		}
		return mpi.SendOne(world, 2*x, (me+1)%n, 0)
	})
	// Output: 12
}

// Each rank knows how much all others have.
func ExampleAllgatherOne() {
	ranks(4, func(world *mpi.Comm) error {
		sizes, err := mpi.AllgatherOne(world, 10+world.Rank())
		if err == nil && world.Rank() == 2 {
			fmt.Println(sizes)
		}
		return err
	})
	// Output: [10 11 12 13]
}

// Words are sorted by their first letters: each rank owns some letters, and sends the others their words. Nobody knows
// how many will come.
func ExampleAlltoallAlloc() {
	ranks(4, func(world *mpi.Comm) error {
		words := [][]byte{[]byte("ant"), []byte("zebra"), []byte("bear")}
		if world.Rank() > 0 {
			words = [][]byte{[]byte("yak")}
		}
		parts := make([][]byte, world.Size())
		for _, w := range words {
			owner := int(w[0]-'a') * world.Size() / 26
			parts[owner] = append(append(parts[owner], w...), ' ')
		}
		got, err := mpi.AlltoallAlloc(world, parts)
		if err != nil {
			return err
		}
		fmt.Printf("rank %d: %q\n", world.Rank(), got)
		return nil
	})
	// Unordered output:
	// rank 0: ["ant bear " "" "" ""]
	// rank 1: ["" "" "" ""]
	// rank 2: ["" "" "" ""]
	// rank 3: ["zebra " "yak " "yak " "yak "]
}

// Parts of any length go out from rank 0 and come back.
func ExampleScatterAlloc() {
	ranks(4, func(world *mpi.Comm) error {
		var parts [][]int
		if world.Rank() == 0 {
			for i := range world.Size() {
				parts = append(parts, slices.Repeat([]int{i}, i))
			}
		}
		part, err := mpi.ScatterAlloc(world, parts, 0)
		if err != nil {
			return err
		}
		factors, err := mpi.BcastAlloc(world, []int{10, 100}, 0)
		if err != nil {
			return err
		}
		var products []int
		for _, x := range part {
			for _, f := range factors {
				products = append(products, f*x)
			}
		}
		all, err := mpi.GatherAlloc(world, products, 0)
		if err == nil && world.Rank() == 0 {
			fmt.Println(all)
		}
		return err
	})
	// Output: [[] [10 100] [20 200 20 200] [30 300 30 300 30 300]]
}

// The ranks divide ten numbers, and rank 0 has their squares in one slice.
func ExampleComm_Block() {
	ranks(4, func(world *mpi.Comm) error {
		var squares []int
		first, end := world.Block(10, world.Rank())
		for i := first; i < end; i++ {
			squares = append(squares, i*i)
		}
		all, err := mpi.GatherFlat(world, squares, 0)
		if err == nil && world.Rank() == 0 {
			fmt.Println(all)
		}
		return err
	})
	// Output: [0 1 4 9 16 25 36 49 64 81]
}

// Rank 0 has numbers, all square some of them, and it has the squares.
func ExampleScatterFlat() {
	ranks(4, func(world *mpi.Comm) error {
		var numbers []int
		if world.Rank() == 0 {
			numbers = []int{2, 3, 5, 7, 11, 13}
		}
		part, err := mpi.ScatterFlat(world, numbers, 0)
		if err != nil {
			return err
		}
		for i := range part {
			part[i] *= part[i]
		}
		squares, err := mpi.GatherFlat(world, part, 0)
		if err == nil && world.Rank() == 0 {
			fmt.Println(squares)
		}
		return err
	})
	// Output: [4 9 25 49 121 169]
}

// Both neighbours' borders are received, and one error is looked at.
func ExampleErrOf() {
	ranks(4, func(world *mpi.Comm) error {
		n, me := world.Size(), world.Rank()
		left, right, cells := (me+n-1)%n, (me+1)%n, []int{-1, me, -1}
		err := errors.Join(mpi.ErrOf(mpi.Sendrecv(world, cells[1:2], right, 0, cells[:1], left, 0)),
			mpi.ErrOf(mpi.Sendrecv(world, cells[1:2], left, 0, cells[2:], right, 0)))
		if err == nil && me == 0 {
			fmt.Println(cells)
		}
		return err
	})
	// Output: [3 0 1]
}

// Every rank has the texts of all.
func ExampleAllgatherAlloc() {
	ranks(4, func(world *mpi.Comm) error {
		texts, err := mpi.AllgatherAlloc(world, []byte(strings.Repeat("a", world.Rank()+1)))
		if err == nil && world.Rank() == 1 {
			fmt.Printf("%s\n", texts)
		}
		return err
	})
	// Output: [a aa aaa aaaa]
}

// Ranks exchange their borders with both neighbours. Whatever happens, no request is forgotten.
func ExampleWaitBatch() {
	ranks(4, func(world *mpi.Comm) error {
		n, me := world.Size(), world.Rank()
		left, right := (me+n-1)%n, (me+1)%n
		fromLeft, fromRight := make([]int, 1), make([]int, 1)
		err := mpi.WaitBatch(func(b *mpi.Batch) error {
			b.Add(mpi.Irecv(world, fromLeft, left, 1))
			b.Add(mpi.Irecv(world, fromRight, right, 2))
			b.Add(mpi.Isend(world, []int{me}, right, 1))
			b.Add(mpi.Isend(world, []int{me}, left, 2))
			return nil // other work, while they are underway
		})
		if err != nil {
			return err
		}
		fmt.Printf("rank %d is between %d and %d\n", me, fromLeft[0], fromRight[0])
		return nil
	})
	// Unordered output:
	// rank 0 is between 3 and 1
	// rank 1 is between 0 and 2
	// rank 2 is between 1 and 3
	// rank 3 is between 2 and 0
}

// Rank 0 takes what comes until all have said that they are done, by an empty message.
func ExampleMessages() {
	ranks(4, func(world *mpi.Comm) error {
		if err := mpi.Send(world, make([]byte, world.Rank()+1), 0, 5); err != nil {
			return err
		}
		if err := mpi.Send[byte](world, nil, 0, 5); err != nil || world.Rank() > 0 {
			return err
		}
		bytes, left := 0, world.Size()
		for m, err := range mpi.Messages[byte](world, mpi.AnySource, 5) {
			if err != nil {
				return err
			}
			bytes += len(m.Elements)
			if len(m.Elements) == 0 {
				left--
			}
			if left == 0 {
				break
			}
		}
		fmt.Println(bytes, "bytes")
		return nil
	})
	// Output: 10 bytes
}

// With pvasrun --survive the function is called again, with a smaller communicator, when a rank fails in it.
func ExampleSurvive() {
	ranks(4, func(world *mpi.Comm) error {
		sum := 0
		err := mpi.Survive(world, func(c *mpi.Comm) (err error) {
			sum, err = mpi.AllreduceOne(c, 1, mpi.Sum[int]())
			return err
		})
		if err == nil && world.Rank() == 0 {
			fmt.Println(sum, "ranks have done it")
		}
		return err
	})
	// Output: 4 ranks have done it
}

func ExampleComm_Replaces() {
	ranks(4, func(world *mpi.Comm) error {
		switch {
		case world.Replaces(): // what the rank before it had in its memory is lost
			fmt.Println("begin where others are")
		case world.Rank() == 0:
			fmt.Println("begin at the beginning")
		}
		return nil
	})
	// Output: begin at the beginning
}
