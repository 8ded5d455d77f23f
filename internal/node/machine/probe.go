package machine

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/gopvas/gopvas/internal/node/areas"
	"github.com/gopvas/gopvas/internal/node/limits"
	"github.com/gopvas/gopvas/internal/node/sys"
)

// NamedProbe is a feature and the way to find out whether it works here.
type NamedProbe struct {
	Name    string
	Purpose string       // what the project uses it for, a few words
	Run     func() error // nil: it works. It leaves nothing behind.
	BTL     string       // the task model that is not there without it; "": either does without
}

// Feature is the outcome of a probe.
type Feature struct {
	Name    string `json:"name"`
	Purpose string `json:"purpose"`
	OK      bool   `json:"ok"`
	Unknown bool   `json:"unknown,omitempty"` // not found out; OK is false then
	Error   string `json:"error,omitempty"`   // the text, with that of the errno
	Meaning string `json:"meaning,omitempty"` // what usually causes such an error
}

// runProbes runs them in order.
func runProbes(probes []NamedProbe) []Feature {
	features := make([]Feature, len(probes))
	for i, p := range probes {
		features[i] = Feature{Name: p.Name, Purpose: p.Purpose, OK: true}
		if err := p.Run(); err != nil {
			features[i].OK, features[i].Unknown = false, undecided(err)
			features[i].Error = err.Error()
			features[i].Meaning = meaning(err)
		}
	}
	return features
}

// An unsure error says why a probe has no answer.
type unsure struct{ error }

func (e unsure) Unwrap() error { return e.error }

// undecided tells whether an error of a probe says nothing of the feature: the probe itself could not be made.
func undecided(err error) bool {
	if _, ok := errors.AsType[unsure](err); ok {
		return true
	}
	for _, errno := range []syscall.Errno{syscall.ENOENT, syscall.ENOMEM, syscall.EAGAIN, syscall.EMFILE,
		syscall.ENFILE} {
		if errors.Is(err, errno) {
			return true
		}
	}
	return false
}

// refuse notes that a task model is not there.
func refuse(all []limits.Capacity, probes []NamedProbe, features []Feature) {
	for i, p := range probes {
		for k := range all {
			if all[k].BTL == p.BTL && features[i].Error != "" && !features[i].Unknown {
				none := uint64(0)
				all[k].Ranks, all[k].Limit, all[k].Error = &none, "", features[i].Error
			}
		}
	}
}

// meaning explains an errno to somebody who runs jobs, not kernels. It is empty
// when the error has none or says it all.
func meaning(err error) string {
	switch {
	case errors.Is(err, syscall.ENOSYS):
		return "the kernel has no such call, or a seccomp filter hides it"
	case errors.Is(err, syscall.EPERM), errors.Is(err, syscall.EACCES):
		return "forbidden here: by a security module such as Yama, by a seccomp filter, or for lack of a capability"
	case errors.Is(err, syscall.EINVAL):
		return "the kernel has the call but not this use of it"
	case errors.Is(err, syscall.ENOSPC):
		return "none is free: root reserves N of them by sysctl vm.nr_hugepages=N"
	case errors.Is(err, syscall.ENOMEM), errors.Is(err, syscall.EAGAIN):
		return "short of memory, or a limit on memory or processes was met"
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return "the limit on open files was met"
	}
	return ""
}

func ownProbes() []NamedProbe {
	return []NamedProbe{
		{Name: "memfd", Purpose: "memory of a job, shared without a name on disk", Run: probeMemfd},
		{Name: "futex", Purpose: "sleeping until a peer has written", Run: probeFutex},
		{Name: "huge pages on request", Purpose: "--huge-pages transparent", Run: probeHugePage},
		{Name: "reserved huge pages", Purpose: "--huge-pages reserved", Run: probeReservedPage},
		{Name: "CMA", Purpose: "one copy between separate processes", Run: probeCMA},
		{Name: "close_range", Purpose: "no descriptor leaks into a rank", Run: sys.ProbeCloseRange},
		{Name: "pidfd", Purpose: "holding a process without mistaking it for another", Run: sys.ProbePidfd},
	}
}

func probeMemfd() error {
	f, err := sys.SealedMemfd("pvas-probe", 4096)
	if err != nil {
		return err
	}
	return f.Close()
}

// probeFutex wakes nobody and does not wait for a value that is not there.
func probeFutex() error {
	var word atomic.Uint32
	if err := sys.FutexWake(&word); err != nil {
		return err
	}
	return sys.FutexWait(&word, 1)
}

// probeHugePage asks for a huge page, touches it and looks whether it came:
// the request succeeds also where the setting is never.
func probeHugePage() error {
	const huge = sys.ReservedPage
	const flags = sys.MapPrivate | sys.MapAnonymous | sys.MapNoReserve
	at, err := sys.Mmap(0, 2*huge, sys.ProtRead|sys.ProtWrite, flags, -1, 0)
	if err != nil {
		return err
	}
	defer func() { _ = sys.Munmap(at, 2*huge) }() // fails only for a wrong argument
	if err := sys.Madvise(at, 2*huge, sys.MadvHugePage); err != nil {
		return err
	}
	aligned := (at + huge - 1) / huge * huge
	touch(aligned)
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		return err
	}
	defer f.Close()
	kib, err := anonHuge(bufio.NewScanner(f), uint64(aligned))
	if err != nil {
		return err
	}
	if kib == 0 {
		return errors.New("memory was advised but no huge page came: " +
			"/sys/kernel/mm/transparent_hugepage/enabled is never, or no 2 MiB of memory are free in one piece")
	}
	return nil
}

// probeReservedPage takes one.
func probeReservedPage() error {
	const size = 2 * sys.ReservedPage // one in it is aligned
	at, err := sys.Mmap(0, size, sys.ProtNone, sys.MapPrivate|sys.MapAnonymous, -1, 0)
	if err != nil {
		return err
	}
	defer func() { _ = sys.Munmap(at, size) }() // fails only for a wrong argument
	return sys.MapReserved((at+sys.ReservedPage-1)&^(sys.ReservedPage-1), sys.ReservedPage)
}

// anonHuge returns AnonHugePages, in KiB, of the area with the address in it.
func anonHuge(smaps *bufio.Scanner, addr uint64) (uint64, error) {
	inside := false
	for smaps.Scan() {
		line := smaps.Text()
		if a, err := areas.Parse(line); err == nil {
			inside = a.Holds(addr)
			continue
		}
		if value, ok := strings.CutPrefix(line, "AnonHugePages:"); ok && inside {
			return strconv.ParseUint(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
		}
	}
	if err := smaps.Err(); err != nil {
		return 0, err
	}
	return 0, fmt.Errorf("smaps: no AnonHugePages of the area at %#x", addr)
}
