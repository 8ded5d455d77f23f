// Command runtime prints how install-mpi has Go's runtime built into the library for arm64. It is for .ci/arm64, which
// builds a library itself. What takes the place of the runtime's own code it writes to the folder that is named.
//
//	go run ./internal/capi/install/runtime FOLDER
//
// The first line has flags of the linker, the others are flags of go build.
package main
