package launcher

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gopvas/gopvas/job"
)

// EnvID is a variable that marks every process of a job with the job's random
// name, so that the guard finds those that left their process group.
const EnvID = "PVAS_ID"

// baseEnv returns the environment that all ranks of an app share: the
// supervisor's, what the user added, and the defaults of the runtime. The job has total
// ranks, of which so many are on this node. Where a
// name occurs twice the last one counts.
func baseEnv(app App, prog *program, id string, total, ranks, cpus int) []string {
	env := slices.Clone(os.Environ())
	// A job started by a rank of another job is its own.
	env = unset(env, job.EnvRank, job.EnvSize, job.EnvJob, job.EnvProgram, EnvID)
	if ranks >= cpus && os.Getenv("GOMAXPROCS") == "" {
		// Many Go runtimes must not each start a thread and a collector per CPU.
		env = append(env, "GOMAXPROCS=1")
	}
	if app.Dir != "" {
		if dir, err := filepath.Abs(app.Dir); err == nil {
			env = append(env, "PWD="+dir)
		}
	}
	env = append(env, app.Env...)
	env = append(env, EnvID+"="+id, job.EnvSize+"="+strconv.Itoa(total), job.EnvProgram+"="+prog.path)
	return lastOfEach(env)
}

// rankEnv adds what only one rank is told. where is the place of the job's
// memory: "fd:3" or "addr:0x...".
func rankEnv(base []string, rank int, where string) []string {
	return append(slices.Clip(base), job.EnvRank+"="+strconv.Itoa(rank), job.EnvJob+"="+where)
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
	var kept []string
	for _, kv := range slices.Backward(env) {
		name, _, _ := strings.Cut(kv, "=")
		if seen[name] {
			continue
		}
		seen[name] = true
		kept = append(kept, kv)
	}
	slices.Reverse(kept)
	return kept
}
