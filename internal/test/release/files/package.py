# A recipe for Spack, in the folder packages/gopvas of a repository of your own.
from spack.package import *


class Gopvas(Package):
    """MPI for many-core nodes: the ranks of a job share one address space."""

    homepage = "https://github.com/gopvas/gopvas"
    git = "https://github.com/gopvas/gopvas.git"

    license("MIT")

    version("main", branch="main")

    provides("mpi@:5.0")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build")
    depends_on("go@1.26:", type="build")

    def install(self, spec, prefix):
        go = which("go")
        go("build", "-buildmode=pie", "-o", "pvasrun", "./cmd/pvasrun")
        Executable("./pvasrun")("install-mpi", prefix)

    def setup_dependent_package(self, module, dependent_spec):
        self.spec.mpicc = join_path(self.prefix.bin, "mpicc")
        self.spec.mpicxx = join_path(self.prefix.bin, "mpicxx")
        self.spec.mpifc = join_path(self.prefix.bin, "mpifort")
        self.spec.mpif77 = join_path(self.prefix.bin, "mpif77")
