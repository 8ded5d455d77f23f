#!/bin/sh
# $1 of an upgrade is "upgrade" (deb) or 1 (rpm): the new version has the same files.
set -e
if [ "$1" != upgrade ] && [ "$1" != 1 ] && command -v update-alternatives > /dev/null; then
	update-alternatives --remove mpirun /usr/lib/gopvas/bin/mpirun
	update-alternatives --remove mpi /usr/lib/gopvas/bin/mpicc
fi
