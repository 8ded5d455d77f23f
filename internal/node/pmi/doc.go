// Package pmi is a client of the Process Management Interface. It asks the launcher of this
// process for the process's rank and for the number of processes. The processes exchange short
// values through the launcher's key-value space.
//
// It speaks version 1.1 of the wire protocol, which is a line for each request and one for its
// reply, each a list of name=value. Hydra (mpiexec of MPICH, Intel MPI), Flux, and Slurm's
// plugin pmi2 speak it. The connection is the descriptor PMI_FD that the process inherits, or
// a TCP connection to PMI_PORT.
//
// Not implemented: version 2 of the wire protocol, PMIx, starting of processes, name publishing.
package pmi
