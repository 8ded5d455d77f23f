// Package options knows the options that people type for other launchers: mpirun of Open MPI 4.1 and 5, mpiexec of
// Hydra (MPICH) and of Intel MPI, and srun.
//
// Its table says for each what pvasrun does with it: the same by a flag of
// its own, nothing because it does so anyway, nothing and a warning, or an error that says what to write.
package options
