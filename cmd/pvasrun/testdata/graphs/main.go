// Graphs, run by a test of pvasrun, does what nonblocking collectives promise where
// ranks are real: see the functions.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"

	"github.com/gopvas/gopvas/mpi"
)

func main() {
	programs := map[string]func(*mpi.Comm) error{"foreign": foreign, "endless": endless}
	mpi.Run(programs[os.Args[1]])
}

// length of the messages, in elements: too many to be executed where they get ready.
const length = 4096

// stamping is known to all ranks of this program.
var stamping = mpi.RegisterOp("stamp", stamp, true)

// stamp is an operator of the program: it says which process has applied it.
func stamp(inout, in []int64) {
	for i := range inout {
		inout[i] = int64(os.Getpid())
	}
}

// foreign: a chain from rank to rank, with an operator on the way. All but the last rank
// compute until their operator has been applied, which means that they make no call; the
// last one waits, in the way that the argument says, and has to do their work, with its
// own copy of the operator.
func foreign(world *mpi.Comm) error {
	rank, last := world.Rank(), world.Size()-1
	ends, err := world.Split(color(rank == 0 || rank == last), rank)
	if err != nil {
		return err
	}
	buf, seen := make([]int64, length), make([]int64, length)
	if rank == 0 {
		buf[0] = 42
	}
	g := link(world, buf, seen)
	request, err := g.Issue()
	if err != nil {
		return err
	}
	issued := atomic.LoadInt64(&seen[length-1]) != 0 // this rank may do it while it issues
	if rank < last {
		for atomic.LoadInt64(&seen[length-1]) == 0 {
		}
		if !issued && seen[0] == int64(os.Getpid()) {
			return errors.New("the operator was applied here, where no call was made")
		}
	}
	switch {
	case rank != 0 && rank != last:
	case os.Args[2] == "barrier":
		err = ends.Barrier()
	case os.Args[2] == "message" && rank == 0:
		err = mpi.Send(world, []byte{1}, last, 0)
	case os.Args[2] == "message":
		_, err = mpi.Recv(world, make([]byte, 1), 0, 0)
	}
	if err != nil {
		return err
	}
	if _, err := request.Wait(); err != nil {
		return err
	}
	if buf[0] != 42 {
		return fmt.Errorf("received %d", buf[0])
	}
	return nil
}

func color(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// link returns a rank's graph: what comes from below is looked at by the operator, and
// goes to the next rank.
func link(world *mpi.Comm, buf, seen []int64) *mpi.Graph {
	rank := world.Rank()
	g := mpi.NewGraph(world)
	calc := mpi.CalcNode(g, stamping, seen, buf)
	if rank > 0 {
		g.Connect(mpi.RecvNode(g, buf, rank-1), calc)
	}
	if rank < world.Size()-1 {
		g.Connect(calc, mpi.SendNode(g, buf, rank+1))
	}
	g.Tie()
	return g
}

// endless begins operations until a rank is lost.
func endless(world *mpi.Comm) error {
	signal.Ignore(syscall.SIGTERM) // what ends this rank must be its own error
	fmt.Println("pid", os.Getpid())
	buf, seen := make([]int64, length), make([]int64, length)
	chain, err := link(world, buf, seen).Prepare()
	if err != nil {
		return err
	}
	for err == nil {
		err = round(world, &chain)
	}
	if lost, ok := errors.AsType[*mpi.LostError](err); ok {
		fmt.Println("survivor: lost rank", lost.Rank)
		os.Exit(0)
	}
	return err
}

func round(world *mpi.Comm, chain *mpi.Request) error {
	err := chain.Start()
	if err != nil {
		return err
	}
	reduced, err := mpi.Iallreduce(world, make([]int64, 8*length), make([]int64, 8*length), mpi.Sum[int64]())
	if err != nil {
		return err
	}
	barrier, err := world.Ibarrier()
	if err != nil {
		return err
	}
	return mpi.WaitAll([]mpi.Request{*chain, barrier, reduced}, nil)
}
