package run

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/cmd/pvasrun/internal/settings"
	"github.com/gopvas/gopvas/internal/node/job"
)

// The longest list of algorithms that makes sense has room in the root block.
func TestEveryAlgorithmFits(t *testing.T) {
	var list []string
	for _, kind := range []string{"barrier", "bcast", "reduce", "allreduce", "reduce_scatter", "scan", "exscan",
		"gather", "scatter", "allgather", "alltoall"} {
		list = append(list, kind+"=direct")
	}
	f := Flags{TunableFlags: settings.TunableFlags{EagerLimit: 1, RingBlock: 4096}}
	f.PeerTimeout = cli.Lapse(job.DefaultPeerTimeout)
	f.Coll = cli.Algorithms(strings.Join(list, ","))
	_, err := f.settings()
	require.NoError(t, err)
	f.Coll = cli.Algorithms(strings.Repeat(string(f.Coll)+",", 20))
	_, err = f.settings()
	require.ErrorContains(t, err, "more than 1024")
}

// Slurm has CPUs for each task, and a rank is a task if there are enough. A process of a step is one.
func TestCPUsOfTask(t *testing.T) {
	const each = "SLURM_CPUS_PER_TASK"
	for _, c := range []struct {
		env                map[string]string
		tasks, ranks, want int
	}{
		{nil, 6, 6, 0},
		{map[string]string{each: "8"}, 6, 6, 8},
		{map[string]string{each: "8"}, 6, 7, 0},
		{map[string]string{each: "x"}, 6, 1, 0},
		{map[string]string{each: "8"}, 0, 1, 0},
		{map[string]string{each: "8", "SLURM_STEP_NODELIST": "n1"}, 0, 1, 8},
		{map[string]string{each: "8", "SLURM_STEP_NODELIST": "n1"}, 6, 2, 0},
	} {
		f := Flags{nodeFlags: nodeFlags{tasks: c.tasks}}
		require.Equal(t, c.want, f.cpusOfTask(c.ranks, func(name string) string { return c.env[name] }), "%v", c)
	}
}

// The error handler that programs begin with is that of one program of the job, in any case.
func TestInitialErrorHandler(t *testing.T) {
	own, _, err := parseApp([]string{"--initial-errhandler", "MPI_ERRORS_RETURN", "a"})
	require.NoError(t, err)
	app, err := own.app([]string{"a"})
	require.NoError(t, err)
	require.Equal(t, []string{job.EnvErrorHandler + "=mpi_errors_return"}, app.Env)
	own, _, err = parseApp([]string{"b"})
	require.NoError(t, err)
	app, err = own.app([]string{"b"})
	require.NoError(t, err)
	require.Empty(t, app.Env)
	_, _, err = parseApp([]string{"--initial-errhandler", "mpi_errors", "a"})
	require.EqualError(t, err, `--initial-errhandler: "mpi_errors": write mpi_errors_are_fatal, mpi_errors_abort or `+
		`mpi_errors_return`)
}
