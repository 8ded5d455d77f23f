package main

import (
	"fmt"
	"strings"

	"github.com/gopvas/gopvas/mpi"
)

func init() {
	stops["overlap"], stops["again"], stops["graph"] = overlap, again, graph
	stops["pipeline"] = pipeline
}

// A sum goes on while the rank computes.
func overlap(world *mpi.Comm) error {
	sum := []int{world.Rank()}
	request, err := mpi.Iallreduce(world, nil, sum, mpi.Sum[int]())
	if err != nil {
		return err
	}
	work := 0
	for i := range 1000 {
		work += i // does not touch sum, which is in use
	}
	if _, err := request.Wait(); err != nil {
		return err
	}
	fmt.Printf("rank %d: sum %d, work %d\n", world.Rank(), sum[0], work)
	return nil
}

// A collective operation that is prepared once and started again and again.
func again(world *mpi.Comm) error {
	value := make([]int, 1)
	request, err := mpi.BcastInit(world, value, 0)
	if err != nil {
		return err
	}
	total := 0
	for step := range 3 {
		if world.Rank() == 0 {
			value[0] = step + 1
		}
		if err := request.Start(); err != nil {
			return err
		}
		if _, err := request.Wait(); err != nil {
			return err
		}
		total += value[0]
	}
	fmt.Printf("rank %d: total %d\n", world.Rank(), total)
	return request.Free()
}

// A chain of the program's own: a rank sends on what it has received, in the
// background, as soon as it is there.
func graph(world *mpi.Comm) error {
	me, buf := world.Rank(), []byte("--")
	g := mpi.NewGraph(world)
	recv, send := mpi.GraphStart, mpi.GraphEnd
	if me == 0 {
		copy(buf, "ok")
	} else {
		recv = mpi.RecvNode(g, buf, me-1)
	}
	if me+1 < world.Size() {
		send = mpi.SendNode(g, buf, me+1)
	}
	g.Connect(recv, send)
	g.Tie()
	request, err := g.Issue()
	if err != nil {
		return err
	}
	if _, err := request.Wait(); err != nil {
		return err
	}
	fmt.Printf("rank %d: %s\n", me, buf)
	return nil
}

// A graph that is prepared once: each rank adds its own to the sum of those before it, and
// the ranks after it get that.
func pipeline(world *mpi.Comm) error {
	me := world.Rank()
	mine, sum := []int{me + 1}, make([]int, 1)
	g := mpi.NewGraph(world)
	g.SetUrgent(true) // before other graphs
	g.SetPolicy(mpi.PolicyShare)
	ready := g.JoinNode() // when sum has all but the own part
	if me == 0 {
		g.Connect(mpi.CopyNode(g, sum, []int{0}), ready)
	} else {
		g.Connect(mpi.RecvNode(g, sum, me-1), ready)
	}
	add := mpi.CalcNode(g, mpi.Sum[int](), sum, mine)
	g.Connect(ready, add)
	if me+1 < world.Size() {
		g.Connect(add, mpi.SendNode(g, sum, me+1))
	}
	g.Tie()
	if me == 0 {
		var drawing strings.Builder // for dot -Tsvg
		if err := g.Dump(&drawing); err != nil {
			return err
		}
		fmt.Printf("the graph of rank 0 has %d edges\n", strings.Count(drawing.String(), " -> "))
	}
	request, err := g.Prepare()
	if err != nil {
		return err
	}
	for range 2 {
		if err := request.Start(); err != nil {
			return err
		}
		if _, err := request.Wait(); err != nil {
			return err
		}
		fmt.Printf("rank %d: sum %d\n", me, sum[0])
		mine[0] *= 10
	}
	return request.Free()
}
