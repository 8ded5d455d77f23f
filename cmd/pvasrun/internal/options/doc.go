// Package options knows the options of other launchers: mpirun of Open MPI 4.1 and 5, mpiexec of Hydra (MPICH) and of
// Intel MPI, and srun.
//
// Its table says what pvasrun does with each: the same by a flag of its own, or nothing because it does so anyway.
// Others are ignored with a warning, or refused with an error that says what to write.
package options
