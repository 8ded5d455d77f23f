// Package runner runs a job of each contestant of a benchmark in turn: this project in its task models, and installed
// MPIs, Open MPI and MPICH, with our benchmarks in C (peer/), which it compiles as they are needed. A Site says on
// which nodes. A peer leaves no process and no file behind, also when this process is killed.
package runner
