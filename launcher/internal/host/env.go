package host

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gopvas/gopvas/internal/node/job"
)

// EnvID is a variable that marks every process of a job with the job's random name.
// So the guard finds those that left their process group.
const EnvID = "PVAS_ID"

// Variables by which programs learn their place before they call MPI, as other launchers set them. Programs choose a
// device so, or log for one rank only. Local ones count the ranks of a node.
var (
	envSizes      = []string{"PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "OMPI_UNIVERSE_SIZE"}
	envLocalSizes = []string{"OMPI_COMM_WORLD_LOCAL_SIZE"}
	envRanks      = []string{"PMI_RANK", "OMPI_COMM_WORLD_RANK"}
	envLocalRanks = []string{"MPI_LOCALRANKID", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_NODE_RANK"}
)

// envThreads is how many threads OpenMP starts in a rank.
const envThreads = "OMP_NUM_THREADS"

// envArenas limits the heaps that the C library makes for threads. Each takes memory areas and
// page tables of its own. An address space that ranks share has few areas, and the threads of
// the Go runtime need no such heap.
const envArenas = "MALLOC_ARENA_MAX"

// heapSteps has the C library extend heaps by 16 MiB beyond what it needs. The program break of a
// shared address space does not move, so the library takes areas from mmap, of 1 MiB if nothing else
// is said. Those of several ranks alternate then, and ranks share pages of the page table.
//
// From the second length on a block is an area of its own. The library raises that length as programs
// free blocks, up to 32 MiB, but no more once the first is set. So both are set.
var heapSteps = []string{"MALLOC_TOP_PAD_=16777216", "MALLOC_MMAP_THRESHOLD_=33554432"}

// BaseEnv completes the environment that all ranks of an app share: the supervisor's, what the
// user added, and the defaults of the runtime. Where a name occurs twice the last one counts.
// total is the number of ranks of the job, and ranks of those on this node.
func BaseEnv(app *App, id string, total, ranks, cpus int) []string {
	env := slices.Clone(os.Environ())
	if app.NoEnv {
		env = nil
	}
	env = unset(env, app.Unset...)
	// A job started by a rank of another job is its own.
	env = unset(env, job.EnvApp, job.EnvRank, job.EnvSize, job.EnvJob, job.EnvProgram, EnvID)
	env = unset(env, slices.Concat(envSizes, envLocalSizes, envRanks, envLocalRanks)...)
	if ranks >= cpus && os.Getenv("GOMAXPROCS") == "" {
		// Many Go runtimes must not each start a thread and a collector per CPU.
		env = append(env, "GOMAXPROCS=1")
	}
	if os.Getenv(envArenas) == "" {
		env = append(env, envArenas+"=1")
	}
	if app.Threads > 0 && !has(env, envThreads) {
		env = append(env, envThreads+"="+strconv.Itoa(app.Threads))
	}
	if app.Dir != "" {
		if dir, err := filepath.Abs(app.Dir); err == nil {
			env = append(env, "PWD="+dir)
		}
	}
	env = set(env, total, envSizes)
	env = set(env, ranks, envLocalSizes)
	env = append(env, app.Env...)
	env = append(env, EnvID+"="+id, job.EnvSize+"="+strconv.Itoa(total), job.EnvProgram+"="+app.Path)
	return lastOfEach(env)
}

// RankEnv adds the variables of one rank: its numbers in the job, in its world, and of those on this node. where is
// the place of the job's memory: "fd:3" or "addr:0x...". The user's own settings come first, and so they count.
func RankEnv(base []string, number, rank, local int, where string) []string {
	env := append(slices.Clip(base), job.EnvRank+"="+strconv.Itoa(number), job.EnvJob+"="+where)
	return set(set(env, rank, envRanks), local, envLocalRanks)
}

// set sets variables to a number.
func set(env []string, to int, names []string) []string {
	for _, name := range names {
		env = append(env, name+"="+strconv.Itoa(to))
	}
	return env
}

// unnamed keeps Go runtimes from naming their memory, which they do since Go 1.25, where the kernel can. Areas of
// different names do not merge.
const unnamed = "decoratemappings=0"

// SharedEnv adds what the ranks of a shared address space need, where the user has set none of it.
func SharedEnv(base []string) []string {
	base = slices.Clone(base)
	switch i := slices.IndexFunc(base, func(kv string) bool { return strings.HasPrefix(kv, "GODEBUG=") }); {
	case i < 0:
		base = append(base, "GODEBUG="+unnamed)
	case !strings.Contains(base[i], "decoratemappings="):
		base[i] += "," + unnamed
	}
	for _, step := range heapSteps {
		name, _, _ := strings.Cut(step, "=")
		if has(base, name) {
			return base
		}
	}
	return append(base, heapSteps...)
}

// has tells whether a variable is in an environment.
func has(env []string, name string) bool {
	return slices.ContainsFunc(env, func(kv string) bool { return strings.HasPrefix(kv, name+"=") })
}

func unset(env []string, names ...string) []string {
	return slices.DeleteFunc(env, func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.Contains(names, name)
	})
}

// lastOfEach drops all but the last setting of every variable, keeping order.
func lastOfEach(env []string) []string {
	seen := map[string]bool{}
	var last []string
	for _, kv := range slices.Backward(env) {
		name, _, _ := strings.Cut(kv, "=")
		if seen[name] {
			continue
		}
		seen[name] = true
		last = append(last, kv)
	}
	slices.Reverse(last)
	return last
}
