#!/bin/sh
# Offers mpirun and mpicc beside those of other MPIs: with a lower priority than Debian's openmpi (50) and mpich (40).
# update-alternatives --config mpirun chooses.
set -e
bin=/usr/lib/gopvas/bin
if command -v update-alternatives > /dev/null; then
	update-alternatives --install /usr/bin/mpirun mpirun $bin/mpirun 30 --slave /usr/bin/mpiexec mpiexec $bin/mpiexec
	update-alternatives --install /usr/bin/mpicc mpi $bin/mpicc 30 \
		--slave /usr/bin/mpicxx mpicxx $bin/mpicxx \
		--slave /usr/bin/mpic++ mpic++ $bin/mpic++ \
		--slave /usr/bin/mpiCC mpiCC $bin/mpiCC \
		--slave /usr/bin/mpif77 mpif77 $bin/mpif77 \
		--slave /usr/bin/mpif90 mpif90 $bin/mpif90 \
		--slave /usr/bin/mpifort mpifort $bin/mpifort
fi
