package mpi

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/gopvas/gopvas/internal/node/job/jobtest"
	"github.com/gopvas/gopvas/internal/test/testkit"
)

// collCases are the behaviours of collective operations that the MPI standard asks
// for. The algorithms are tested in package coll.
var collCases = []p2pCase{
	{"bcast from each", bcastFromEach},
	{"operators", operators},
	{"rank order", rankOrder},
	{"reduce scatter", reduceScatters},
	{"gather and scatter", gatherAndScatter},
	{"allgather", allgathers},
	{"alltoall", alltoalls},
	{"neighbors", neighbors},
	{"random calls", randomCalls},
	{"many calls in a row", manyCallsInARow},
	{"operators on all types", operatorsOnAllTypes},
	{"reduce local", reduceLocal},
	{"nothing to move", nothingToMove},
	{"overlapping buffers", overlappingBuffers},
	{"lengths that differ", lengthsThatDiffer},
	{"neighbors on a plane", neighborsOnAPlane},
	{"neighbors in a graph", neighborsInAGraph},
	{"grids without dimensions", gridsWithoutDimensions},
	{"messages of views", messagesOfViews},
	{"wrong views", wrongViews},
	{"alltoallw", alltoallw},
	{"neighbor alltoallw", neighborAlltoallw},
	{"random views", randomViews},
	{"long views", longAgainstWhole},
	{"views of other lengths", otherLengths},
	{"wrong view of one", wrongViewOfOne},
	{"bad arguments", badCollectives},
	{"types are compared", comparedTypes},
	{"split and reversed", splitAndReversed},
	{"panicking operator", panickingOperator},
	{"communicating operator", communicatingOperator},
	{"local operator that communicates", localOperator},
	{"one of each", oneOfEach},
	{"allocated", allocated},
	{"blocks", evenBlocks},
	{"allocated, and refused", allocRefused},
}

func collConformance(c *Comm) error {
	for _, k := range collCases {
		if only := os.Getenv("CASE"); only == "" || only == k.name {
			if err := runCase(c, k); err != nil {
				return err
			}
		}
	}
	return nil
}

func TestCollectivesOverMem(t *testing.T) {
	for _, kind := range testkit.Some(kinds...) {
		for _, ranks := range testkit.Counts(1, 2, 3, 6) {
			t.Run(fmt.Sprintf("%s/ranks=%d", kind, ranks), func(t *testing.T) {
				overMem(t, ranks, 2, memKinds[kind], collConformance)
			})
		}
	}
}

func TestCollectivesInOneSpace(t *testing.T) {
	for _, ranks := range testkit.Counts(1, 2, 3, 7, 17) {
		t.Run(fmt.Sprintf("ranks=%d", ranks), func(t *testing.T) {
			inOneSpace(t, ranks, func(c *Comm) error { return errors.Join(collConformance(c), c.Finalize()) })
		})
	}
}

func TestCollectivesOverProcesses(t *testing.T) {
	for _, ranks := range testkit.Counts(2, 5, 16) {
		t.Run(fmt.Sprintf("ranks=%d", ranks), func(t *testing.T) {
			jobtest.Run(t, smJob(ranks), "collectives")
		})
	}
}
