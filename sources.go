package gopvas

import "embed"

// Sources has what the module in which cmd/libmpi can be built consists of, tests included. Its
// dependencies outside of this module are not in it: the go command finds them in its cache
// of modules, because pvasrun was built from them, or gets them.
//
//go:embed go.mod go.sum LICENSE
//go:embed btl cmd/libmpi datatype exchange mpi/fault shm suci trace
//go:embed internal/areas internal/attendant internal/btl internal/capi internal/coll internal/comm internal/courier
//go:embed internal/exit internal/file internal/job internal/limits internal/numa internal/pml internal/processes
//go:embed internal/reach internal/sys internal/topology internal/trace/recorder internal/window
var Sources embed.FS
