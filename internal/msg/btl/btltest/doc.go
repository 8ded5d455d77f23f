// Package btltest is the conformance suite of btl.Module. A case is what one rank
// does; a test of a module runs each case on all ranks of a job at the same time,
// each with its own module: in processes or in goroutines, as the module has it.
package btltest
