// Package npb holds NAS Parallel Benchmarks as rank programs, written anew in Go over
// package mpi. What they compute follows the specification (Bailey et al., "The NAS
// Parallel Benchmarks", RNR-94-007); problem sizes, classes, operation counts, rules
// for the number of ranks and verification values are those of NPB 3, so that a result
// can be compared with that of any other implementation of the same class.
//
//	IS  sorts integer keys by buckets: Allreduce, Alltoall, Alltoallv
//	EP  makes pairs of Gaussian deviates: no communication to speak of
//	CG  finds an eigenvalue by conjugate gradients: vectors and sums along a grid of ranks
//	MG  solves Poisson's equation by multigrid: the faces of blocks to their neighbours
//	FT  solves the diffusion equation by 3-D FFTs: Alltoall of everything
//
// They exchange messages and call collectives only; no rank touches another's memory.
// The loops of the timed part allocate nothing in ranks, and the inner ones check no bounds.
//
// IS, EP and CG are run by goroutines of one process as well (RunThreads): they compute the
// same, but read one another's keys and vectors where they lie, between barriers.
//
// A rate is comparable, but no "NPB result" in the sense of NASA's rules: those are
// for its programs.
//
// Not implemented: the pseudo-applications BT, SP and LU; UA, DC and DT;
// classes above C.
package npb
