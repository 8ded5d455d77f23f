//go:build amd64 || arm64

package pvas

import (
	"fmt"
	"slices"
	"syscall"
	"unsafe"

	"github.com/gopvas/gopvas/internal/node/sys"
)

// A step is one call of a script with the text that an error message needs, and with the
// Go memory its arguments point to.
type step struct {
	call
	what string
	keep any
}

// scriptBuilder collects the steps that give a task the same state as execve.
type scriptBuilder struct{ steps []step }

func (b *scriptBuilder) add(what string, nr uintptr, args ...uintptr) *step {
	s := step{what: what}
	s.nr = nr
	copy(s.args[:], args)
	b.steps = append(b.steps, s)
	return &b.steps[len(b.steps)-1]
}

// cString returns s with its terminator as an argument; the step must keep it.
func cString(s string) (arg uintptr, keep *byte) {
	p := unsafe.StringData(s + "\x00")
	return uintptr(unsafe.Pointer(p)), p
}

// scriptFor lists the calls of one task. files are its three standard files, all of them above 2. So the order of the
// dup3 calls does not matter, and no call names one file twice.
func scriptFor(spec *TaskSpec, files [3]int) []step {
	b := new(scriptBuilder)
	b.ownFiles(files)
	b.parentDeath(spec)
	if spec.Setpgid {
		b.add("setpgid", syscall.SYS_SETPGID, 0, 0)
	}
	b.signals()
	for fd, from := range files {
		b.add(fmt.Sprintf("dup3 of standard file %d", fd), syscall.SYS_DUP3, uintptr(from), uintptr(fd), 0)
	}
	b.add("close_range", sys.CallCloseRange, 3, uintptr(^uint32(0)), 0)
	if spec.Dir != "" {
		arg, keep := cString(spec.Dir)
		b.add("chdir "+spec.Dir, syscall.SYS_CHDIR, arg).keep = keep
	}
	b.affinity(spec.CPUs)
	if spec.Nice != nil {
		b.add(fmt.Sprintf("setpriority to niceness %d", *spec.Nice), syscall.SYS_SETPRIORITY, syscall.PRIO_PROCESS, 0,
			uintptr(*spec.Nice))
	}
	for _, l := range spec.Limits {
		v := &syscall.Rlimit{Cur: l.Soft, Max: l.Hard}
		b.add(fmt.Sprintf("setrlimit of resource %d to %d", l.Resource, l.Soft),
			syscall.SYS_PRLIMIT64, 0, uintptr(l.Resource), uintptr(unsafe.Pointer(v)), 0).keep = v
	}
	arg, keep := cString(spec.comm())
	b.add("prctl(PR_SET_NAME)", syscall.SYS_PRCTL, sys.PrSetName, arg).keep = keep
	// Last: from here on a signal ends the task as it would end the program.
	empty := new(uint64)
	b.add("rt_sigprocmask", syscall.SYS_RT_SIGPROCMASK, sys.SigSetMask, uintptr(unsafe.Pointer(empty)), 0,
		sys.SigsetSize).keep = empty
	return b.steps
}

// ownFiles gives the task, which shares the table of descriptors with the caller so far, a copy of it. The kernel
// copies none above the standard files, so N tasks do not each copy and close what the caller has of the others.
func (b *scriptBuilder) ownFiles(files [3]int) {
	b.add("close_range of a copy", sys.CallCloseRange, uintptr(slices.Max(files[:])+1), uintptr(^uint32(0)),
		sys.CloseUnshare)
}

func (b *scriptBuilder) parentDeath(spec *TaskSpec) {
	if spec.Pdeathsig != 0 {
		b.add("prctl(PR_SET_PDEATHSIG)", syscall.SYS_PRCTL, syscall.PR_SET_PDEATHSIG, uintptr(spec.Pdeathsig))
	}
}

// signals resets every disposition but "ignore", which execve keeps.
func (b *scriptBuilder) signals() {
	reset := new(sys.Sigaction) // zero: the default action
	for sig := 1; sig <= sys.NumSignals; sig++ {
		if sig == int(syscall.SIGKILL) || sig == int(syscall.SIGSTOP) || sys.SignalIgnored(sig) {
			continue
		}
		b.add(fmt.Sprintf("rt_sigaction of signal %d", sig), syscall.SYS_RT_SIGACTION,
			uintptr(sig), uintptr(unsafe.Pointer(reset)), 0, sys.SigsetSize).keep = reset
	}
}

func (b *scriptBuilder) affinity(cpus []int) {
	if len(cpus) == 0 {
		return
	}
	mask := sys.CPUMask(cpus)
	b.add(fmt.Sprintf("sched_setaffinity to CPUs %v", cpus), syscall.SYS_SCHED_SETAFFINITY,
		0, uintptr(len(mask)*8), uintptr(unsafe.Pointer(unsafe.SliceData(mask)))).keep = mask
}
