// Package nas runs the NAS Parallel Benchmarks of package npb, beside the programs of NASA if an installed MPI has
// them.
package nas
