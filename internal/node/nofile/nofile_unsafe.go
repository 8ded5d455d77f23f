package nofile

import _ "unsafe" // for go:linkname

// resourceNofile is RLIMIT_NOFILE, which package syscall has and this package
// must not import.
const resourceNofile = 7

// limit is struct rlimit64.
type limit struct {
	cur, max uint64
}

// prlimit is offered to golang.org/x/sys under this name, and so stays.
//
//go:linkname prlimit syscall.prlimit
func prlimit(pid, resource int, newLimit, old *limit) error

var original, known = read()

func read() (limit, bool) {
	var l limit
	err := prlimit(0, resourceNofile, nil, &l)
	return l, err == nil
}

// Original returns the soft and the hard limit on open files as they were when
// the process started. ok is false when they could not be read.
func Original() (soft, hard uint64, ok bool) { return original.cur, original.max, known }
