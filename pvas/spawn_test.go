package pvas

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/areas"
	"github.com/gopvas/gopvas/internal/node/sys"
)

func TestGoProgramGetsArgumentsAndEnvironment(t *testing.T) {
	s := newSpace(t, 1)
	out, status := output(t, s, 0, TaskSpec{
		Path: goProgram(), Args: []string{"me", "args", "", "a b", "é"}, Env: []string{"PROG_VALUE=v=1", "X="},
	})
	require.Equal(t, 0, status.ExitStatus(), out)
	require.Regexp(t, `^"me" \["" "a b" "é"\] \d+\nv=1 2\n$`, out)
}

func TestExitStatus(t *testing.T) {
	s := newSpace(t, 2)
	witness := collectOutput(t, s, 1, TaskSpec{Path: goProgram(), Args: []string{"prog", "block"}})
	for _, c := range []struct {
		args []string
		code int
		sig  syscall.Signal
		text string
	}{
		{[]string{"exit", "3"}, 3, -1, ""},
		{[]string{"panic"}, 2, -1, "panic: on purpose"},
		{[]string{"nil"}, 2, -1, "nil pointer dereference"},
	} {
		out, status := output(t, s, 0, TaskSpec{Path: goProgram(), Args: append([]string{"prog"}, c.args...)})
		require.Equal(t, c.code, status.ExitStatus(), c.args)
		require.Contains(t, out, c.text)
	}
	task := start1(t, s, 0, "block")
	require.NoError(t, task.Signal(syscall.SIGKILL))
	status, err := task.Wait()
	require.NoError(t, err)
	require.Equal(t, syscall.SIGKILL, status.Signal())

	// What happened in partition 0 left the task in partition 1 alone.
	require.NoError(t, s.running[1].Signal(syscall.SIGINT))
	out, status := witness()
	require.Equal(t, 0, status.ExitStatus())
	require.Equal(t, "up\ninterrupted\n", out)
}

// start1 starts prog in a mode that prints "up" and waits for that.
func start1(t *testing.T, s *Space, partition int, mode string) *Task {
	t.Helper()
	r, w, err := os.Pipe()
	require.NoError(t, err)
	var placed Layout
	task, err := s.Spawn(TaskSpec{Path: goProgram(), Args: []string{"prog", mode}, Partition: partition, Stdout: w,
		Placed: func(l Layout) { placed = l }})
	require.NoError(t, err)
	require.Equal(t, task.Layout(), placed)
	require.NoError(t, w.Close())
	buf := make([]byte, 8)
	n, err := r.Read(buf)
	require.NoError(t, err)
	require.Equal(t, "up\n", string(buf[:n]))
	require.NoError(t, r.Close())
	return task
}

func TestGlobalsArePrivate(t *testing.T) {
	s := newSpace(t, 2)
	a := collectOutput(t, s, 0, TaskSpec{Path: goProgram(), Args: []string{"prog", "global", "1"}})
	b := collectOutput(t, s, 1, TaskSpec{Path: goProgram(), Args: []string{"prog", "global", "2"}})
	outA, _ := a()
	outB, _ := b()
	require.Equal(t, "42 1\n", outA)
	require.Equal(t, "42 2\n", outB)
}

func TestProgramsOfAllKinds(t *testing.T) {
	s := newSpace(t, 3)
	const wantC = `^sum 34 constructed 1 mine 7 args 2 last\natexit\n$`
	perl := `my %h; $h{$_} = $_ x 3 for 1..50000; print scalar(keys %h), " ",
		join("", reverse split //, "olleh"), "\n"; print ` + "`echo sub`"
	for _, c := range []struct {
		name string
		path string
		args []string
		want string
	}{
		{"go exec", goProgram(), []string{"exec"}, `^(\d+) child of \d+\n$`},
		{"go collect", goProgram(), []string{"collect", "1024"}, `^allocated true collections true\n$`},
		{"c dynamic", cProgram(t, "threads.c", "-fPIE", "-pie"), []string{"last"}, wantC},
		{"c static", cProgram(t, "threads.c", "-static-pie"), []string{"last"}, wantC},
		{"c aligned 2 MiB", cProgram(t, "threads.c", "-fPIE", "-pie", "-Wl,-z,max-page-size=0x200000"),
			[]string{"last"}, wantC},
		{"c fork", cProgram(t, "fork.c", "-fPIE", "-pie"), nil, `^child 2 parent 1\n$`},
		{"perl", "/usr/bin/perl", []string{"-e", perl}, `^50000 hello\nsub\n$`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := os.Stat(c.path); err != nil {
				t.Skip(err)
			}
			var waits []func() (string, syscall.WaitStatus)
			for i := range 3 {
				spec := TaskSpec{Path: c.path, Args: append([]string{c.path}, c.args...), Env: os.Environ()}
				waits = append(waits, collectOutput(t, s, i, spec))
			}
			for _, wait := range waits {
				out, status := wait()
				require.Equal(t, 0, status.ExitStatus(), out)
				require.Regexp(t, c.want, out)
			}
		})
	}
}

// inherited is what of /proc/self/status must be alike in a task and in a
// process started by os/exec.
var inherited = regexp.MustCompile(
	`(?m)^(Name|Umask|SigBlk|SigIgn|SigCgt|Cpus_allowed|NoNewPrivs|Seccomp|Uid|Gid|Threads):.*$`)

func TestInheritsAsAfterExec(t *testing.T) {
	s := newSpace(t, 1)
	secret, err := os.CreateTemp(t.TempDir(), "")
	require.NoError(t, err)
	defer func() { _ = secret.Close() }()
	dup, err := syscall.Dup(int(secret.Fd())) // without close-on-exec, so not even exec would close it
	require.NoError(t, err)
	defer func() { _ = syscall.Close(dup) }()

	exec1 := func(path string, args ...string) string {
		cmd := exec.Command(path, args...)
		cmd.Env = []string{}
		out, err := cmd.CombinedOutput()
		require.NoError(t, err)
		return string(out)
	}
	task := func(spec TaskSpec) string {
		out, status := output(t, s, 0, spec)
		require.Equal(t, 0, status.ExitStatus(), out)
		return out
	}
	status := task(TaskSpec{Path: "/bin/cat", Args: []string{"cat", "/proc/self/status"}})
	require.Equal(t, inherited.FindAllString(exec1("/bin/cat", "/proc/self/status"), -1),
		inherited.FindAllString(status, -1))

	fds := task(TaskSpec{Path: "/bin/ls", Args: []string{"ls", "/proc/self/fd"}})
	require.Equal(t, "0\n1\n2\n3\n", fds, "3 is the directory that ls reads")

	dir := t.TempDir()
	require.Equal(t, dir+"\n", task(TaskSpec{Path: "/bin/pwd", Args: []string{"pwd", "-P"}, Dir: dir}))

	status = task(TaskSpec{Path: "/bin/cat", Args: []string{"cat", "/proc/self/status"},
		Name: "a-long-name-that-is-cut", CPUs: []int{0}, Setpgid: true})
	require.Regexp(t, `(?m)^Name:\ta-long-name-tha$`, status)
	require.Regexp(t, `(?m)^Cpus_allowed_list:\t0$`, status)
	pid := regexp.MustCompile(`(?m)^Pid:\t(\d+)$`).FindStringSubmatch(status)[1]
	require.Regexp(t, `(?m)^NSpgid:\t`+pid+`$`, status)

	limits := task(TaskSpec{Path: "/bin/cat", Args: []string{"cat", "/proc/self/limits"},
		Limits: []Limit{{Resource: syscall.RLIMIT_NOFILE, Soft: 77, Hard: 88}}})
	require.Regexp(t, `Max open files +77 +88 `, limits)
}

func TestStandardFiles(t *testing.T) {
	s := newSpace(t, 1)
	in, w, err := os.Pipe()
	require.NoError(t, err)
	_, err = w.WriteString("hello\n")
	require.NoError(t, err)
	require.NoError(t, w.Close())
	var files [2]*os.File // of their own, so that the test sees them exchanged
	for i := range files {
		files[i], err = os.CreateTemp(t.TempDir(), "")
		require.NoError(t, err)
	}
	task, err := s.Spawn(TaskSpec{Path: goProgram(), Args: []string{"prog", "stdio"}, Stdin: in,
		Stdout: files[0], Stderr: files[1]})
	require.NoError(t, err)
	require.NoError(t, in.Close())
	_, err = task.Wait()
	require.NoError(t, err)
	for i, want := range []string{"out hello\n", "err hello\n"} {
		got, err := os.ReadFile(files[i].Name())
		require.NoError(t, err)
		require.Equal(t, want, string(got))
	}
}

func TestSpawnErrors(t *testing.T) {
	s := newSpace(t, 2)
	var start *StartError
	var image *ImageError

	_, err := s.Spawn(TaskSpec{Path: goProgram(), Dir: "/nowhere"})
	require.ErrorAs(t, err, &start)
	require.ErrorIs(t, err, syscall.ENOENT)
	require.Equal(t, "chdir /nowhere", start.Call)

	_, err = s.Spawn(TaskSpec{Path: goProgram(), CPUs: []int{1000}})
	require.ErrorAs(t, err, &start)
	require.ErrorIs(t, err, syscall.EINVAL)
	_, err = s.Spawn(TaskSpec{Path: goProgram(), CPUs: []int{-1}})
	require.ErrorContains(t, err, "no CPU -1")

	_, err = s.Spawn(TaskSpec{Path: filepath.Join(programs, "missing")})
	require.ErrorAs(t, err, &image)
	require.ErrorIs(t, err, os.ErrNotExist)

	_, err = s.Spawn(TaskSpec{Path: goProgram(), Partition: 2})
	require.ErrorIs(t, err, ErrPartition)
	_, err = s.Spawn(TaskSpec{Path: goProgram(), Args: []string{"a\x00b"}})
	require.ErrorContains(t, err, "NUL byte")
	_, err = s.Spawn(TaskSpec{Path: goProgram(), Args: []string{strings.Repeat("x", 8<<20)}})
	require.ErrorIs(t, err, ErrArgsTooLong)

	task := start1(t, s, 0, "block")
	_, err = s.Spawn(TaskSpec{Path: goProgram()})
	require.ErrorIs(t, err, ErrPartitionBusy)
	require.ErrorIs(t, s.Destroy(), ErrTasksAlive)
	require.NoError(t, task.Signal(syscall.SIGINT))
	_, err = task.Wait()
	require.NoError(t, err)
	require.ErrorIs(t, task.Signal(0), os.ErrProcessDone)

	// Every failure above has left the partition usable.
	out, status := output(t, s, 0, TaskSpec{Path: goProgram(), Args: []string{"prog", "exit", "0"}})
	require.Equal(t, 0, status.ExitStatus(), out)
	require.NoError(t, s.Destroy())
	require.NoError(t, s.Destroy())
	_, err = s.Spawn(TaskSpec{Path: goProgram()})
	require.ErrorIs(t, err, ErrDestroyed)
}

func TestPartitionsAndAddresses(t *testing.T) {
	s := newSpace(t, 3)
	for i := range 3 {
		base, size := s.Partition(i)
		require.Zero(t, base%size)
		planned, err := s.Layout(i, goProgram())
		require.NoError(t, err)
		task := start1(t, s, i, "block")
		require.Equal(t, planned, task.Layout())
	}
	// All tasks are in one address space: each one's image and stack are mapped here.
	maps, err := os.ReadFile("/proc/self/maps")
	require.NoError(t, err)
	for _, task := range s.running {
		l := task.Layout()
		require.Contains(t, string(maps), fmt.Sprintf("%x-", l.Image.Start))
		require.Contains(t, string(maps), fmt.Sprintf("%x-%x rw-p", l.Stack.Start, l.Stack.End))
	}
}

// 240 tasks at once, spawned from several goroutines.
func TestManyTasks(t *testing.T) {
	const n = 240
	s := newSpace(t, n)
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := g; i < n; i += 4 {
				task, err := s.Spawn(TaskSpec{Path: goProgram(), Args: []string{"prog", "exit", fmt.Sprint(i % 7)},
					Partition: i, Env: []string{"GOMAXPROCS=1"}})
				if err != nil {
					t.Errorf("task %d: %v", i, err)
					return
				}
				status, err := task.Wait()
				if err != nil || status.ExitStatus() != i%7 {
					t.Errorf("task %d: status %v, %v", i, status, err)
				}
			}
		})
	}
	wg.Wait()
}

// A space that is razed has no memory of its tasks, which are stopped, and takes no more. The process goes on.
func TestRaze(t *testing.T) {
	s := newSpace(t, 2)
	tasks := []*Task{start1(t, s, 0, "block"), start1(t, s, 1, "block")}
	for _, task := range tasks {
		require.NoError(t, task.Signal(syscall.SIGSTOP))
		var ws syscall.WaitStatus
		_, err := syscall.Wait4(task.Pid(), &ws, syscall.WUNTRACED|syscall.WALL, nil)
		require.NoError(t, err)
		require.True(t, ws.Stopped(), "a thread that still runs would miss its program")
	}
	file, err := os.Open("/proc/self/exe")
	require.NoError(t, err)
	defer file.Close()
	size := uintptr(os.Getpagesize())
	kept, err := sys.Mmap(0, size, sys.ProtRead, sys.MapPrivate, int(file.Fd()), 0)
	require.NoError(t, err)
	left, err := sys.Mmap(0, size, sys.ProtRead, sys.MapPrivate, int(file.Fd()), 0)
	require.NoError(t, err)
	require.NoError(t, s.Raze(Range{uint64(kept), uint64(kept + size)}))
	files, err := fileAreas()
	require.NoError(t, err)
	require.Contains(t, files, uint64(kept))
	require.NotContains(t, files, uint64(left))
	require.NoError(t, sys.Munmap(kept, size))
	maps, err := os.Open("/proc/self/maps")
	require.NoError(t, err)
	defer maps.Close()
	require.NoError(t, areas.Read(maps, func(a areas.Area) {
		require.False(t, a.Start >= s.reserved.Start && a.End <= s.reserved.End && a.Path == goProgram(), a)
	}))
	for _, task := range tasks {
		require.NoError(t, task.Signal(syscall.SIGKILL))
		ws, err := task.Wait()
		require.NoError(t, err)
		require.Equal(t, syscall.SIGKILL, ws.Signal())
	}
	_, err = s.Spawn(TaskSpec{Path: goProgram(), Args: []string{"prog", "block"}})
	require.ErrorIs(t, err, ErrDestroyed)
	require.NoError(t, s.Raze(Range{}))
}
