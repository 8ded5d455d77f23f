-- An environment module for Lmod: module use PREFIX/share/gopvas/modulefiles && module load gopvas
help("gopvas @VERSION@: MPI programs in one address space. pvasrun --help; man pvasrun")
whatis("Name: gopvas")
whatis("Version: @VERSION@")
whatis("Description: MPI for many-core nodes: the MPI 5.0 standard ABI, and programs of Open MPI unchanged")
family("mpi")

local prefix = myFileName():match("(.*)/share/gopvas/modulefiles/")
prepend_path("PATH", pathJoin(prefix, "bin"))
prepend_path("MANPATH", pathJoin(prefix, "share/man"))
prepend_path("PKG_CONFIG_PATH", pathJoin(prefix, "lib/pkgconfig"))
prepend_path("CMAKE_PREFIX_PATH", prefix)
setenv("GOPVAS_ROOT", prefix)
