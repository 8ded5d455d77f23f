package pvas

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"

	"github.com/gopvas/gopvas/internal/node/sys"
)

var errKilledEarly = errors.New("killed before its program started")

// Spawn starts a program as a task in a partition (pvas_spawn) and returns when
// the program runs. The task inherits the same state as after execve: signals at their
// default unless ignored, none blocked, the three standard files and no other
// descriptor, its own working directory and limits.
//
// Errors: *ImageError for a file that cannot be a task, *StartError for a
// working directory, CPU or limit that the kernel refuses, *KilledError, ErrPartition,
// ErrPartitionBusy, ErrTooSmall, ErrArgsTooLong. After an error no process is
// left and the partition is free again.
//
// A partition can be used again after its task has ended; the memory the old
// task had there is then gone.
func (s *Space) Spawn(spec TaskSpec) (*Task, error) {
	if err := spec.check(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	prog, err := s.program(spec.Partition, spec.Path, spec.Env)
	if err != nil {
		return nil, err
	}
	l, err := s.lay(spec.Partition, prog)
	if err != nil {
		return nil, err
	}
	if err := s.vacate(spec.Partition); err != nil {
		return nil, err
	}
	if spec.Placed != nil {
		spec.Placed(l)
	}
	t, err := start(l, prog, &spec)
	if err != nil {
		return nil, errors.Join(err, s.reset(spec.Partition))
	}
	s.running[spec.Partition] = t
	return t, nil
}

// check refuses values that the kernel would take: strings that end early, CPUs that
// no mask can name.
func (spec *TaskSpec) check() error {
	for _, list := range [][]string{spec.Args, spec.Env, {spec.Path, spec.Dir, spec.Name}} {
		for _, str := range list {
			if strings.ContainsRune(str, 0) {
				return fmt.Errorf("pvas: start %q: a NUL byte in %.40q", spec.Path, str)
			}
		}
	}
	for _, c := range spec.CPUs {
		if c < 0 || c > sys.MostCPU {
			return fmt.Errorf("pvas: start %s: no CPU %d", spec.Path, c)
		}
	}
	return nil
}

// vacate makes a partition free for a new task.
func (s *Space) vacate(i int) error {
	old, used := s.running[i]
	if !used {
		return nil
	}
	if old.alive() {
		return fmt.Errorf("pvas: %w: partition %d, pid %d", ErrPartitionBusy, i, old.pid)
	}
	old.Release()
	delete(s.running, i)
	return s.reset(i)
}

// reset turns a partition back into untouched reservation.
func (s *Space) reset(i int) error {
	base, size := s.Partition(i)
	_, err := sys.Mmap(uintptr(base), uintptr(size), sys.ProtNone,
		sys.MapPrivate|sys.MapFixed|sys.MapAnonymous|sys.MapNoReserve, -1, 0)
	if err != nil {
		return fmt.Errorf("pvas: clear partition %d: %w", i, err)
	}
	return s.advise(Range{base, base + size})
}

// start loads the program and clones the task. The caller resets the partition
// after an error.
func start(l Layout, prog program, spec *TaskSpec) (*Task, error) {
	sp, state, err := build(l, prog, spec)
	if err != nil {
		return nil, err
	}
	files, done, err := standardFiles(spec)
	if err != nil {
		return nil, err
	}
	defer done()
	steps := scriptFor(spec, files)
	child, failed, err := runScript(cloneFlags(spec.Sibling), sp, l.Entry, state, steps)
	if err == nil {
		return &Task{pid: child.pid, pidfd: sys.MoveAbove(child.pidfd, lowFiles), layout: l,
			sibling: spec.Sibling}, nil
	}
	if child.pid != 0 && !spec.Sibling {
		_, _ = sys.WaitPid(child.pid) // it has ended or is about to
	}
	if child.pid != 0 {
		_ = syscall.Close(child.pidfd)
	}
	if errors.Is(err, errKilledEarly) {
		return nil, &KilledError{spec.Path, child.pid}
	}
	call := "start"
	if failed >= 0 {
		call = steps[failed].what
	}
	return nil, &StartError{spec.Path, call, err}
}

// build makes the memory that a task starts with. If the task has a NUMA node, the memory lies there. Else the process
// that touches it first decides: the caller, or a peer that writes to a mailbox or a window.
func build(l Layout, prog program, spec *TaskSpec) (sp, state uint64, err error) {
	fill := func() error {
		if err := load(l, prog); err != nil {
			return err
		}
		sp, state, err = buildStack(l, prog, spec)
		return err
	}
	if spec.Node == nil {
		err = fill()
		return sp, state, err
	}
	if err := sys.TouchingOn(*spec.Node, fill); err != nil {
		return 0, 0, err
	}
	// Not the program between them: the choice would be that of its file in some file systems, for all that map it.
	for _, r := range []Range{{l.Base, l.SmallRegion.End}, l.Arena} {
		_ = sys.MemoryOn(uintptr(r.Start), uintptr(r.Len()), *spec.Node) // an error: it is slower, no more
	}
	return sp, state, nil
}

// cloneFlags are those of a task.
func cloneFlags(sibling bool) uintptr {
	const flags = sys.CloneVM | sys.CloneFiles | sys.ClonePidfd
	if sibling {
		return uintptr(flags | sys.CloneParent) // the signal at its end is then the caller's own
	}
	return uintptr(flags) | uintptr(syscall.SIGCHLD)
}

// lowFiles is below the descriptors that stand for tasks, and above those that a task gets, as a rule: see ownFiles.
const lowFiles = 64

// standardFiles returns three descriptors above 2 for the task's standard
// files; done closes those it had to make.
func standardFiles(spec *TaskSpec) (fds [3]int, done func(), err error) {
	var made []*os.File
	done = func() {
		for _, f := range made {
			_ = f.Close()
		}
	}
	for i, f := range []*os.File{spec.Stdin, spec.Stdout, spec.Stderr} {
		if f == nil {
			if f, err = os.OpenFile(os.DevNull, os.O_RDWR, 0); err != nil {
				done()
				return fds, nil, fmt.Errorf("pvas: start %s: %w", spec.Path, err)
			}
			made = append(made, f)
		}
		if fds[i], err = sys.Fileno(f); err == nil && fds[i] <= 2 {
			var dup *os.File
			if dup, err = sys.DupAbove(f, 3); err == nil {
				made = append(made, dup)
				fds[i], err = sys.Fileno(dup)
			}
		}
		if err != nil {
			done()
			return fds, nil, fmt.Errorf("pvas: start %s: standard file %d: %w", spec.Path, i, err)
		}
	}
	return fds, done, nil
}
