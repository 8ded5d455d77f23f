// Package toolchain tests what the runtime takes from Go and from the CPU and neither promises:
//
//   - how atomic operations order memory between processes
//   - what the garbage collector does about addresses of others
//   - that several copies of a program live in one address space
//   - how compiled code calls functions
//   - in which order packages are initialised
//
// docs/memory-model.md says where each is relied on. TestToolchain fails when a new Go breaks one:
//
//	go test -count=1 -run '^TestToolchain$' ./internal/test/toolchain
//
// It has no code of its own to import.
package toolchain
