package capi

import "time"

// Process is this rank as its C program sees it.
type Process struct {
	initialized bool
	finalized   bool
}

// process is the only one of its kind: a C program is one process.
var process Process

// raise answers a call that has failed with err.
func (p *Process) raise(op int, a slots, err error) int64 { return int64(classOf(err)) }

// began is the zero of Wtime.
var began = time.Now()

// Initialized is MPI_Initialized.
func (p *Process) Initialized(flag Ref) error {
	flag.SetBool(p.initialized)
	return nil
}

// Finalized is MPI_Finalized.
func (p *Process) Finalized(flag Ref) error {
	flag.SetBool(p.finalized)
	return nil
}

// Get_version is MPI_Get_version.
func (p *Process) Get_version(version, subversion Ref) error {
	version.Set(VERSION)
	subversion.Set(SUBVERSION)
	return nil
}

// Abi_get_version is MPI_Abi_get_version.
func (p *Process) Abi_get_version(major, minor Ref) error {
	major.Set(ABI_VERSION)
	minor.Set(ABI_SUBVERSION)
	return nil
}

// Wtime is MPI_Wtime.
func (p *Process) Wtime() float64 { return time.Since(began).Seconds() }

// Wtick is MPI_Wtick.
func (p *Process) Wtick() float64 { return 1e-9 }
