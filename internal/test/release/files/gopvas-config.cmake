# find_package(gopvas) makes the target gopvas::mpi: the MPI 5.0 standard ABI, version @VERSION@.
# find_package(MPI) needs no such file: it asks mpicc.
get_filename_component(_gopvas_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET gopvas::mpi)
  add_library(gopvas::mpi SHARED IMPORTED)
  set_target_properties(gopvas::mpi PROPERTIES
    IMPORTED_LOCATION "${_gopvas_prefix}/lib/libmpi_abi.so.1"
    IMPORTED_SONAME "libmpi_abi.so.1"
    INTERFACE_INCLUDE_DIRECTORIES "${_gopvas_prefix}/include"
    INTERFACE_POSITION_INDEPENDENT_CODE ON)
endif()
set(gopvas_MPIEXEC "${_gopvas_prefix}/bin/mpiexec")
unset(_gopvas_prefix)
