#!/bin/sh
# Starts ranks: pvasrun understands what is typed for mpiexec. Written by pvasrun install-mpi.
self=$(readlink -f -- "$0")
exec "${self%/*}/pvasrun" "$@"
