# Ranks that fork, and start other programs, beside messages.
import os
import subprocess

from mpi4py import MPI

world = MPI.COMM_WORLD
said = subprocess.run(["echo", "there"], capture_output=True, text=True).stdout
pid = os.fork()
if pid == 0:
    os._exit(world.rank)  # a fork of a rank that makes no call of MPI
code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
total = world.allreduce(code)
if world.rank == 0:
    print(total, said, end="")
