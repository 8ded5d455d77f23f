# A rank in Python, which loads the library at run time: python ring.py LIBRARY
import ctypes
import subprocess
import sys

mpi = ctypes.CDLL(sys.argv[1])
WORLD, INT, SUM, IGNORE = map(ctypes.c_void_p, (0x101, 0x209, 0x21, 0))
OPERATOR = ctypes.CFUNCTYPE(None, *[ctypes.POINTER(ctypes.c_int)] * 3, ctypes.c_void_p)


def number(function):
    n = ctypes.c_int()
    assert function(WORLD, ctypes.byref(n)) == 0
    return n.value


@OPERATOR
def multiply(one, two, count, _):
    for i in range(count[0]):
        two[i] *= one[i]


assert mpi.MPI_Init(None, None) == 0
rank, size = number(mpi.MPI_Comm_rank), number(mpi.MPI_Comm_size)
sent, received = (ctypes.c_int * 3)(rank, rank + 1, rank + 2), (ctypes.c_int * 3)()
assert mpi.MPI_Sendrecv(sent, 3, INT, (rank + 1) % size, 0,
                        received, 3, INT, (rank - 1) % size, 0, WORLD, IGNORE) == 0
left = (rank - 1) % size
assert list(received) == [left, left + 1, left + 2], list(received)
assert mpi.MPI_Allreduce(sent, received, 3, INT, SUM, WORLD) == 0
assert list(received) == [sum(r + i for r in range(size)) for i in range(3)], list(received)
product = ctypes.c_void_p()
assert mpi.MPI_Op_create(multiply, 0, ctypes.byref(product)) == 0
assert mpi.MPI_Allreduce(sent, received, 3, INT, product, WORLD) == 0
assert subprocess.run([sys.executable, "-c", "print(6 * 7)"], capture_output=True).stdout == b"42\n"
assert mpi.MPI_Barrier(WORLD) == 0
print("rank", rank, "of", size, flush=True)
assert mpi.MPI_Finalize() == 0
