#!/bin/sh
# Compiles and links programs of MPI: mpicc, mpicxx, mpifort and their other names.
# Written by pvasrun install-mpi.
#
#   -show, -showme         prints the command instead of executing it; all that is for the wrapper
#                          may have two dashes
#   -showme:WHAT           prints a part of it: command compile link incdirs libdirs libs version
#   -compile-info, -link-info
#   -cc=, -cxx=, -fc=      another compiler, as PVAS_CC, PVAS_CXX and PVAS_FC name one, or
#                          else OMPI_CC and MPICH_CC, and so on
#
# Programs become position independent executables, because ranks share an address space.
# The flags for that come first, so that later ones, such as -fPIC, have precedence.

name=${0##*/}
self=$(readlink -f -- "$0")
prefix=${self%/bin/*}
include=$prefix/include lib=$prefix/lib
extra=

case $name in
mpicc*) compiler=${PVAS_CC:-${OMPI_CC:-${MPICH_CC:-@CC@}}} ;;
mpicxx*|mpic++*|mpiCC*) compiler=${PVAS_CXX:-${OMPI_CXX:-${MPICH_CXX:-@CXX@}}} ;;
mpif*) compiler=${PVAS_FC:-${OMPI_FC:-${MPICH_FC:-@FC@}}} extra='@FCFLAGS@' ;;
*) echo "$name: the name of a compiler is expected: mpicc, mpicxx or mpifort" >&2; exit 2 ;;
esac
if [ -z "$compiler" ]; then
	echo "$name: no compiler was there when pvasrun install-mpi ran: install one and repeat that command," \
		"or set PVAS_FC" >&2
	exit 1
fi

libs=-lmpi_abi
show= link=yes pie=-pie input= integers=
remaining=$#
while [ "$remaining" -gt 0 ]; do
	arg=$1 keep=yes
	shift
	remaining=$((remaining - 1))
	case $arg in
	-show|-showme|--show|--showme) show=all keep= ;;
	-showme:*|--showme:*) show=${arg#*showme:} keep= ;;
	-compile-info|-compile_info|--compile-info|--compile_info) show=compile-info keep= ;;
	-link-info|-link_info|--link-info|--link_info) show=link-info keep= ;;
	-cc=*|-cxx=*|-fc=*|-f90=*|-f77=*) compiler=${arg#*=} keep= ;;
	-c|-E|-S|-M|-MM|-fsyntax-only) link= ;;
	-shared|--shared|-r|-static|-static-pie|-no-pie|-nopie) pie= ;;
	-fdefault-integer-8) integers=8 ;;
	-) input=yes ;;
	-*) ;;
	*) input=yes ;;
	esac
	if [ "$keep" ]; then
		set -- "$@" "$arg"
	fi
done

case $show in
"" ) ;;
all) [ "$input" ] || {
	echo "$compiler${extra:+ $extra} -fPIE -I$include -pie -L$lib -Wl,-rpath,$lib $libs"
	exit
} ;;
command) echo "$compiler"; exit ;;
compile) echo "-I$include${extra:+ $extra}"; exit ;;
link) echo "-L$lib -Wl,-rpath,$lib $libs"; exit ;;
compile-info) echo "$compiler -I$include${extra:+ $extra}"; exit ;;
link-info) echo "$compiler -L$lib -Wl,-rpath,$lib $libs"; exit ;;
incdirs) echo "$include"; exit ;;
libdirs) echo "$lib"; exit ;;
libs) echo "${libs#-l}"; exit ;;
version) echo "$name: gopvas @VERSION@, MPI 5.0"; exit ;;
*) echo "$name: -showme:$show: there are command, compile, link, incdirs, libdirs, libs and version" >&2; exit 2 ;;
esac

if [ "$link" ] && [ "$input" ]; then
	set -- "$@" $pie "-L$lib" "-Wl,-rpath,$lib" $libs
fi
if [ "$input" ]; then
	set -- -fPIE "-I$include" "$@"
fi
if [ "$show" ]; then
	echo "$compiler${extra:+ $extra} $*"
	exit
fi
if [ "$integers" ]; then
	echo "$name: with -fdefault-integer-8 declare the arguments of MPI as INTEGER(KIND=4): it takes no others" >&2
fi
exec $compiler $extra "$@"
