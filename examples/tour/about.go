package main

import (
	"fmt"
	"path/filepath"

	"github.com/gopvas/gopvas/mpi"
)

func init() {
	stops["about"] = about
}

// What ranks know of themselves, and what they have done, added up by rank 0.
func about(world *mpi.Comm) error {
	path, err := mpi.Executable()
	if err != nil {
		return err
	}
	me := world.Rank()
	if _, err := mpi.Sendrecv(world, []int{1}, me, 0, make([]int, 1), me, 0); err != nil {
		return err
	}
	request, err := mpi.Ibcast(world, make([]int, 1), 0)
	if err != nil {
		return err
	}
	if _, err := request.Wait(); err != nil {
		return err
	}
	if err := world.Barrier(); err != nil { // from now on no rank works for another
		return err
	}
	type counters struct {
		messages mpi.Statistics
		graphs   mpi.GraphStatistics
	}
	mine, all := []counters{{mpi.Stats(), mpi.GraphStats()}}, make([]counters, world.Size())
	if err := mpi.Gather(world, mine, all, 0); err != nil || me > 0 {
		return err
	}
	sum := all[0]
	for _, c := range all[1:] {
		sum.messages = sum.messages.Plus(c.messages)
		sum.graphs.Nodes += c.graphs.Nodes
	}
	fmt.Printf("%s: %d messages to oneself, %d steps in the background\n",
		filepath.Base(path), sum.messages.Self.Messages, sum.graphs.Nodes)
	if world.Algorithm() == "" {
		return fmt.Errorf("nobody knows how it was gathered")
	}
	for i, d := range mpi.Devices() { // none in a job of one node
		fmt.Printf("network device %d: %d bytes sent; pieces of long messages: %d\n", i, d.Sent, len(mpi.Flights()))
	}
	return nil
}
