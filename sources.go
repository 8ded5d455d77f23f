package gopvas

import "embed"

// Sources has what the module in which cmd/libmpi can be built consists of, tests included. Its
// dependencies outside of this module are not in it: the go command finds them in its cache
// of modules, because pvasrun was built from them, or gets them.
//
//go:embed go.mod go.sum LICENSE
//go:embed btl cmd/libmpi datatype exchange mpi/fault shm suci trace
//go:embed internal/capi internal/msg/attendant internal/msg/btl internal/msg/coll internal/msg/comm
//go:embed internal/msg/courier internal/msg/file internal/msg/numa internal/msg/pml internal/msg/reach
//go:embed internal/msg/recorder internal/msg/window internal/node/areas internal/node/exit internal/node/job
//go:embed internal/node/limits internal/node/processes internal/node/sys internal/node/topology
var Sources embed.FS
