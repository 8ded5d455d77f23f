//go:build !race

package mpi_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/job/jobtest"
	"github.com/gopvas/gopvas/mpi"
)

// examples are programs for ranks: the test binary starts itself again, once for each rank. The race
// detector sees nothing of what processes share, so the examples run without it.
var examples = map[string]func(){
	"ExampleRecvAlloc":               ExampleRecvAlloc,
	"ExampleSendrecv":                ExampleSendrecv,
	"ExampleSendrecvReplace":         ExampleSendrecvReplace,
	"ExampleRecv":                    ExampleRecv,
	"ExampleProbe":                   ExampleProbe,
	"ExampleMprobe":                  ExampleMprobe,
	"ExampleTruncateError":           ExampleTruncateError,
	"ExampleBsend":                   ExampleBsend,
	"ExampleWaitAll":                 ExampleWaitAll,
	"ExampleWaitSome":                ExampleWaitSome,
	"ExampleSendInit":                ExampleSendInit,
	"ExampleComm_With":               ExampleComm_With,
	"ExampleRequest_Done":            ExampleRequest_Done,
	"ExampleRequest_WaitContext":     ExampleRequest_WaitContext,
	"ExampleTestSome":                ExampleTestSome,
	"ExampleBcast":                   ExampleBcast,
	"ExampleGatherv":                 ExampleGatherv,
	"ExampleAlltoallv":               ExampleAlltoallv,
	"ExampleScatter":                 ExampleScatter,
	"ExampleAllgather":               ExampleAllgather,
	"ExampleAlltoall":                ExampleAlltoall,
	"ExampleReduceLocal":             ExampleReduceLocal,
	"ExampleReduce":                  ExampleReduce,
	"ExampleNewOp":                   ExampleNewOp,
	"ExampleMinLoc":                  ExampleMinLoc,
	"ExampleScan":                    ExampleScan,
	"ExampleReduceScatter":           ExampleReduceScatter,
	"ExampleIallreduce":              ExampleIallreduce,
	"ExampleBcastInit":               ExampleBcastInit,
	"ExampleIalltoall":               ExampleIalltoall,
	"ExampleIscan":                   ExampleIscan,
	"ExampleIneighborAlltoall":       ExampleIneighborAlltoall,
	"ExampleNewGraph":                ExampleNewGraph,
	"ExampleGraph_Prepare":           ExampleGraph_Prepare,
	"ExampleRegisterOp":              ExampleRegisterOp,
	"ExampleComm_Split":              ExampleComm_Split,
	"ExampleComm_Spawn":              ExampleComm_Spawn,
	"ExampleComm_Dup":                ExampleComm_Dup,
	"ExampleComm_CreateGroup":        ExampleComm_CreateGroup,
	"ExampleGroup_Union":             ExampleGroup_Union,
	"ExampleComm_Idup":               ExampleComm_Idup,
	"ExampleCartCreate":              ExampleCartCreate,
	"ExampleCart_Sub":                ExampleCart_Sub,
	"ExampleDistGraphCreateAdjacent": ExampleDistGraphCreateAdjacent,
	"ExampleDistGraphCreate":         ExampleDistGraphCreate,
	"ExampleVector":                  ExampleVector,
	"ExampleSubarray":                ExampleSubarray,
	"ExampleView_Sendrecv":           ExampleView_Sendrecv,
	"ExampleAlltoallw":               ExampleAlltoallw,
	"ExampleTyped":                   ExampleTyped,
	"ExampleIndexed":                 ExampleIndexed,
	"ExampleView_Gather":             ExampleView_Gather,
	"ExampleView_Bcast":              ExampleView_Bcast,
	"ExampleView_Isend":              ExampleView_Isend,
	"ExampleWinAllocateShared":       ExampleWinAllocateShared,
	"ExampleWinCreate":               ExampleWinCreate,
	"ExampleWindow":                  ExampleWindow,
	"ExampleWindow_Lock":             ExampleWindow_Lock,
	"ExampleWriteFileAll":            ExampleWriteFileAll,
	"ExampleFile":                    ExampleFile,
	"ExampleExecutable":              ExampleExecutable,
	"ExampleAllreduceOne":            ExampleAllreduceOne,
	"ExampleExscanOne":               ExampleExscanOne,
	"ExampleScatterOne":              ExampleScatterOne,
	"ExampleSendOne":                 ExampleSendOne,
	"ExampleAllgatherOne":            ExampleAllgatherOne,
	"ExampleAlltoallAlloc":           ExampleAlltoallAlloc,
	"ExampleScatterAlloc":            ExampleScatterAlloc,
	"ExampleAllgatherAlloc":          ExampleAllgatherAlloc,
	"ExampleComm_Block":              ExampleComm_Block,
	"ExampleScatterFlat":             ExampleScatterFlat,
	"ExampleErrOf":                   ExampleErrOf,
	"ExampleWaitBatch":               ExampleWaitBatch,
	"ExampleMessages":                ExampleMessages,
	"ExampleSurvive":                 ExampleSurvive,
	"ExampleKeep":                    ExampleKeep,
	"ExampleComm_Replaces":           ExampleComm_Replaces,
}

func init() {
	for name, example := range examples {
		mpi.ExamplePrograms[name] = func() error { example(); return nil }
	}
	mpi.ExamplePrograms["examples"] = all
}

// shared is the communicator of the job that runs all examples, one after the other.
var shared *mpi.Comm

func all() error {
	mpi.Run(func(world *mpi.Comm) error {
		if parents, err := world.Parents(); parents != nil || err != nil { // an example has had this one started
			return err
		}
		shared = world
		for _, name := range slices.Sorted(maps.Keys(examples)) {
			examples[name]()
			// What one example sends with a wildcard another may not receive.
			if err := world.Barrier(); err != nil {
				return err
			}
		}
		return nil
	})
	return nil
}

// ranks stands for a program that calls mpi.Run(f), and for pvasrun, which starts n ranks of it.
// In a rank it is the former, in a test the latter: then it prints what the ranks have printed.
func ranks(n int, f func(world *mpi.Comm) error) {
	switch {
	case shared != nil:
		if err := f(shared); err != nil {
			panic(err)
		}
		return
	case os.Getenv(job.EnvJob) != "":
		mpi.Run(f)
		return
	}
	caller, _, _, _ := runtime.Caller(1)
	name := runtime.FuncForPC(caller).Name()
	var t exampleTB
	defer t.clean()
	name = name[strings.LastIndex(name, ".")+1:]
	for _, out := range jobtest.Run(&t, job.Config{Ranks: n, BTL: job.BTLSM, CPUs: 2}, name) {
		fmt.Print(out)
	}
}

// exampleTB is as much of a test as jobtest needs.
type exampleTB struct {
	testing.TB
	cleanups []func()
}

func (t *exampleTB) Helper()                           {}
func (t *exampleTB) Context() context.Context          { return context.Background() }
func (t *exampleTB) Cleanup(f func())                  { t.cleanups = append(t.cleanups, f) }
func (t *exampleTB) Errorf(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
func (t *exampleTB) FailNow()                          { panic("a rank has failed") }

func (t *exampleTB) clean() {
	for i := range t.cleanups {
		t.cleanups[len(t.cleanups)-1-i]()
	}
}
