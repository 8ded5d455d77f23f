// Package vm has the command vm, which boots another Linux machine in qemu for one command. That machine has another
// processor (arm64), more CPUs, NUMA nodes and L3 caches than there are here, another kernel, or other limits.
// It needs no root, no network and no virtualisation by the kernel. This package is its test.
//
//	apt-get install qemu-system-x86 qemu-system-arm cpio
//	internal/test/vm/vm fetch --arch arm64
//	internal/test/vm/vm exec --arch arm64 --dir bin -- ./shm.test -test.v
//	internal/test/vm/vm exec --smp sockets=2,dies=2,cores=4,threads=1 --numa 4 --memory 4G --dir bin -- ./prog
//
// vm is a script of bash, init what the machine begins with. vm --help lists the options.
//
// fetch takes the kernel (the cloud flavour), busybox and glibc of a Debian release from this machine's sources of
// packages into $VM_CACHE, and installs nothing. A second fetch does nothing.
//
// # What the command finds
//
// A file system in memory with busybox, glibc and the folders of --dir. The command starts in /job, as root or as
// --user says, without standard input, and without a network but lo. Its standard output and standard error both arrive
// as standard output. What it leaves in /out comes back by --out. There is no swap; all files count against --memory.
//
// # What to know
//
// Without virtualisation each instruction is translated, at a tenth of the speed or less, and the CPUs of the machine
// share those of this one. So it says nothing about speed, and time limits in it are ten times what is needed. From
// five CPUs on they run in turn, in one thread. A CPU that spins with PAUSE or YIELD hands on to the next at once.
//
// arm64 code that is translated on amd64 keeps the order of amd64's loads and stores. So a barrier that is missing does
// not show.
//
// A machine that panics, or loses its command, ends with 125 and its last words. It ends with vm in any case, also if
// vm is killed, and after --timeout seconds.
package vm
