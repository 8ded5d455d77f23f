// Package pmi is a client of the Process Management Interface: it asks the launcher that has
// started this process how many processes there are and which of them this is, and exchanges
// short values with them through the launcher's key-value space.
//
// It speaks version 1.1 of the wire protocol, which is a line for each request and one for its
// reply, each a list of name=value. Hydra (mpiexec of MPICH, Intel MPI), Flux, and Slurm's
// plugin pmi2 speak it. The connection is the descriptor PMI_FD that the process inherits, or
// a TCP connection to PMI_PORT.
//
// Not implemented: version 2 of the wire protocol, PMIx, starting of processes, name publishing.
package pmi
