package launcher

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/processes"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/internal/node/topology"
	"github.com/gopvas/gopvas/launcher/internal/host"
	"github.com/gopvas/gopvas/launcher/internal/launchertest"
	"github.com/gopvas/gopvas/pvas"
)

func TestEnvironmentOfRanks(t *testing.T) {
	t.Setenv("PVAS_JOB", "of another job")
	t.Setenv("FROM_OUTSIDE", "outside")
	launchertest.EachBTL(t, func(t *testing.T, btl string) {
		get := func(name string, n int) string {
			j := ranks(btl, n, "env", name)
			j.Apps[0].Env = []string{"X=1", "X=2", "Y=not utf-8 \xff"}
			out := run(t, j)
			require.NoError(t, out.err)
			return out.stdout
		}
		require.Equal(t, "X=2\n", get("X", 1))
		require.Equal(t, "Y=not utf-8 \xff\n", get("Y", 1))
		require.Equal(t, "FROM_OUTSIDE=outside\n", get("FROM_OUTSIDE", 1))
		require.Equal(t, "PVAS_SIZE=3\nPVAS_SIZE=3\nPVAS_SIZE=3\n", get("PVAS_SIZE", 3))
		require.Equal(t, "PVAS_PROGRAM="+launchertest.RanksProgram+"\n", get("PVAS_PROGRAM", 1))
		want := `^PVAS_JOB=fd:3\n$`
		if btl == btlPvas {
			want = `^PVAS_JOB=addr:0x[0-9a-f]+\n$`
		}
		require.Regexp(t, want, get("PVAS_JOB", 1))
	})
}

func TestGomaxprocs(t *testing.T) {
	t.Setenv("GOMAXPROCS", "")
	require.Contains(t, host.BaseEnv(&host.App{}, "id", 9, 4, 4), "GOMAXPROCS=1")
	require.NotContains(t, host.BaseEnv(&host.App{}, "id", 9, 3, 4), "GOMAXPROCS=1")
	require.Contains(t, host.BaseEnv(&host.App{Env: []string{"GOMAXPROCS=3"}}, "id", 9, 4, 4), "GOMAXPROCS=3")
	t.Setenv("GOMAXPROCS", "2")
	env := host.BaseEnv(&host.App{}, "id", 9, 4, 4)
	require.Contains(t, env, "GOMAXPROCS=2")
	require.NotContains(t, env, "GOMAXPROCS=1")
}

func TestMemoryOfRanksIsNotNamed(t *testing.T) {
	for given, want := range map[string]string{
		"A=b":                        "GODEBUG=decoratemappings=0",
		"GODEBUG=gctrace=1":          "GODEBUG=gctrace=1,decoratemappings=0",
		"GODEBUG=decoratemappings=1": "GODEBUG=decoratemappings=1",
	} {
		base := []string{given}
		require.Contains(t, host.SharedEnv(base), want)
		require.Equal(t, []string{given}, base)
	}
}

func TestWorkingDirectory(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	launchertest.EachBTL(t, func(t *testing.T, btl string) {
		j := ranks(btl, 2, "pwd")
		j.Apps[0].Dir = dir
		out := run(t, j)
		require.NoError(t, out.err)
		require.Equal(t, strings.Repeat(dir+" "+dir+"\n", 2), out.stdout)
		j.Apps[0].Dir = filepath.Join(dir, "missing")
		out = run(t, j)
		require.ErrorContains(t, out.err, "launcher: working directory "+j.Apps[0].Dir+": no such file or directory")
		require.Equal(t, 2, ExitCode(out.err))
	})
}

func TestSeveralPrograms(t *testing.T) {
	launchertest.EachBTL(t, func(t *testing.T, btl string) {
		j := Job{BTL: btl, Apps: []App{
			{Program: launchertest.RanksProgram, Args: []string{"true"}, N: 2},
			{Program: "/bin/true", N: 1},
			{Program: launchertest.RanksProgram, Args: []string{"-only", "3", "exit", "9"}, N: 2},
		}}
		j.Output.GoTo(t.TempDir())
		out := run(t, j)
		require.NoError(t, out.err)
		require.Equal(t, 9, out.Code)
		require.Equal(t, 3, out.Failure.Rank)
	})
}

// Argument zero is what the user typed, and blanks and quotes arrive as they are.
func TestArguments(t *testing.T) {
	launchertest.EachBTL(t, func(t *testing.T, btl string) {
		out := run(t, ranks(btl, 1, "args", "a b", "", `"`))
		require.NoError(t, out.err)
		require.Equal(t, fmt.Sprintf("%q\n", []string{launchertest.RanksProgram, "args", "a b", "", `"`}), out.stdout)
	})
}

// What a rank starts has the limit on open files the user set, not the one the
// Go library raised.
func TestOpenFilesLimitIsTheUsers(t *testing.T) {
	cmd := exec.Command("/bin/sh", "-c", "ulimit -Sn")
	want, err := cmd.Output()
	require.NoError(t, err)
	launchertest.EachBTL(t, func(t *testing.T, btl string) {
		out := run(t, Job{BTL: btl, Apps: []App{{Program: "/bin/sh", Args: []string{"-c", "ulimit -Sn"}, N: 1}}})
		require.NoError(t, out.err)
		require.Equal(t, string(want), out.stdout)
	})
}

// A rank may itself start processes through os/exec.
func TestRanksStartProcesses(t *testing.T) {
	launchertest.EachBTL(t, func(t *testing.T, btl string) {
		out := run(t, ranks(btl, 3, "sh", "echo $PVAS_SIZE"))
		require.NoError(t, out.err)
		require.Equal(t, "3\n3\n3\n", out.stdout)
	})
}

func TestBindingHolds(t *testing.T) {
	allowed, err := sys.Affinity()
	require.NoError(t, err)
	launchertest.EachBTL(t, func(t *testing.T, btl string) {
		j := ranks(btl, 3, "cpus")
		j.Bind, err = ParseBinding("core")
		require.NoError(t, err)
		j.ReportBindings = true
		out := run(t, j)
		require.NoError(t, out.err)
		at, err := newSeats()
		require.NoError(t, err)
		at.add(j.Bind, 3)
		for rank, set := range at.sets {
			require.Contains(t, out.stdout, fmt.Sprintf("%d %d\n", rank, len(set)))
			require.Contains(t, out.stderr,
				fmt.Sprintf("pvasrun: rank %d is bound to CPU %s", rank, topology.FormatList(set)))
		}
		j.Bind = Binding{}
		out = run(t, j)
		require.Contains(t, out.stdout, fmt.Sprintf("2 %d\n", len(allowed)))
		require.Contains(t, out.stderr, "pvasrun: rank 2 is not bound (CPUs "+topology.FormatList(allowed)+")\n")
	})
	after, err := sys.Affinity()
	require.NoError(t, err)
	require.Equal(t, allowed, after)
}

// Tools show what the ranks of a job run, and find them by it, in both task models. The host has its own name.
func TestCommandLines(t *testing.T) {
	if err := sys.SetCommandLine(os.Args); err != nil {
		t.Skip(err)
	}
	require.Equal(t, os.Args, processes.Args(os.Getpid()))
	launchertest.EachBTL(t, func(t *testing.T, btl string) {
		j := ranks(btl, 2, "block", "for long")
		one, both := append([]string{launchertest.RanksProgram}, j.Apps[0].Args...), []string(nil)
		for range 2 {
			p := startPvasrun(t, j, func(*exec.Cmd) {})
			for i, pid := range p.AwaitRanks(2 * len(j.Apps)) {
				want := one
				if both != nil && btl == btlPvas {
					want = both
				}
				require.Equal(t, want, processes.Args(pid), i)
				shown, _ := processes.Find(pid)
				require.Equal(t, "ranks", shown.Name)
			}
			require.NotZero(t, p.Child(host.Name))
			j.Apps = append(j.Apps, j.Apps[0])
			both = slices.Concat(one, []string{":"}, one)
		}
	})
}

// What cannot live in one address space runs as processes, for a stated reason.
func TestAutoFallsBack(t *testing.T) {
	script := filepath.Join(t.TempDir(), "script")
	require.NoError(t, os.WriteFile(script, []byte("#!/bin/sh\necho hello\n"), 0o700))
	out := run(t, Job{Apps: []App{{Program: script, N: 2}}})
	require.NoError(t, out.err)
	require.Equal(t, "hello\nhello\n", out.stdout)
	require.Contains(t, out.Reason, "script is a script, and what sh executes has an address space of its own")
	require.Equal(t, job.BTLSM, out.BTL)
	require.Equal(t, "pvasrun: every rank gets an address space of its own (--btl sm): "+out.Reason+"\n", out.stderr)

	if pvas.Supported() == nil {
		j := ranks(btlAuto, 2, "true")
		out = run(t, j)
		require.NoError(t, out.err)
		require.Equal(t, job.BTLPvas, out.BTL)
		require.Empty(t, out.stderr)
		j.PartitionSize = 3 << 30 // no power of two: the host refuses
		out = run(t, j)
		require.NoError(t, out.err)
		require.Equal(t, job.BTLSM, out.BTL)
		require.Contains(t, out.Reason, "power of two")
		j.BTL = btlPvas
		out = run(t, j)
		var host *host.Error
		require.ErrorAs(t, out.err, &host)
	}
}

func TestCancelledContextKills(t *testing.T) {
	launchertest.EachBTL(t, func(t *testing.T, btl string) {
		ctx, cancel := context.WithCancelCause(t.Context())
		mine := errors.New("mine")
		w := launchertest.NewWatched()
		j := ranks(btl, 2, "stubborn")
		j.Stdout = w
		go func() {
			w.Await(t, func(text string) bool { return len(launchertest.PidsIn(text)) == 2 })
			cancel(mine)
		}()
		_, err := Run(ctx, j)
		require.ErrorIs(t, err, mine)
		launchertest.RequireGone(t, launchertest.PidsIn(w.String()))
	})
}

func TestJobsThatCannotBe(t *testing.T) {
	for name, j := range map[string]Job{
		"no program":   {},
		"no ranks":     {Apps: []App{{Program: "/bin/true"}}},
		"no name":      {Apps: []App{{N: 1}}},
		"no BTL":       {BTL: "tcp", Apps: []App{{Program: "/bin/true", N: 1}}},
		"no such CPU":  {Bind: Binding{Sets: [][]int{{65535}}}, Apps: []App{{Program: "/bin/true", N: 1}}},
		"too many":     {Apps: []App{{Program: "/bin/true", N: 1 << 40}}},
		"bad time-out": {Timeout: -1, Apps: []App{{Program: "/bin/true", N: 1}}},
	} {
		_, err := Run(t.Context(), j)
		require.Error(t, err, name)
	}
	_, err := Run(t.Context(), Job{Apps: []App{{Program: "/bin/true", N: 1 << 40}}})
	require.ErrorContains(t, err, "a job has at most 65536 in all")
}

func TestDryRun(t *testing.T) {
	launchertest.EachBTL(t, func(t *testing.T, btl string) {
		plan, err := DryRun(t.Context(),
			Job{BTL: btl, Apps: []App{{Program: launchertest.RanksProgram, N: 2, Dir: "/tmp"},
				{Program: "/bin/true", Args: []string{"x"}, N: 1}}})
		require.NoError(t, err)
		require.Equal(t, btl, plan.BTL.String())
		require.Len(t, plan.Ranks, 3)
		require.Equal(t, "/tmp", plan.Ranks[1].Dir)
		require.Equal(t, []string{"/bin/true", "x"}, plan.Ranks[2].Args)
		for rank, r := range plan.Ranks {
			require.Equal(t, rank, r.Rank)
			require.Equal(t, btl == btlPvas, r.Layout != nil)
			if r.Layout != nil {
				require.Equal(t, rank, r.Layout.Partition)
				require.NotZero(t, r.Layout.Image.Len())
			}
		}
	})
}
