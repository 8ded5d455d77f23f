package capi

// Process is this rank as its C program sees it.
type Process struct {
	initialized bool
	finalized   bool
}

// process is the only one of its kind: a C program is one process.
var process Process

// raise answers a call that has failed with err: with the error code, and with the handler of
// the C program that is to be called, if there is one.
func (p *Process) raise(op int, a slots, err error) (int64, Handler) {
	return int64(classOf(err)), Handler{}
}

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
