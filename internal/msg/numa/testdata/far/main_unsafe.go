// Far fills new memory of ranks by messages, collectives and windows, and fails where a page is not on the node of its
// rank. Ranks are bound to a NUMA node each.
package main

import (
	"fmt"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/gopvas/gopvas/mpi"
)

const size = 8 << 20 // bytes of a buffer

func main() { mpi.Run(run) }

func run(w *mpi.Comm) error {
	n, me := w.Size(), w.Rank()
	out := make([]byte, size)
	for i := range out {
		out[i] = 1
	}
	part := out[:size/n*n]
	ways := []struct {
		name string
		fill func(in []byte) error
	}{
		{"sendrecv", func(in []byte) error {
			_, err := mpi.Sendrecv(w, out, (me+1)%n, 0, in, (me+n-1)%n, 0)
			return err
		}},
		{"bcast", func(in []byte) error {
			if me == 0 {
				copy(in, out)
			}
			return mpi.Bcast(w, in, 0)
		}},
		{"allgather", func(in []byte) error { return mpi.Allgather(w, out[:size/n], in[:len(part)]) }},
		{"alltoall", func(in []byte) error { return mpi.Alltoall(w, part, in[:len(part)]) }},
		{"allreduce", func(in []byte) error { return mpi.Allreduce(w, out, in, mpi.Max[byte]()) }},
		{"ialltoall", func(in []byte) error {
			r, err := mpi.Ialltoall(w, part, in[:len(part)])
			if err != nil {
				return err
			}
			_, err = r.Wait()
			return err
		}},
	}
	failed := false
	for _, way := range ways {
		in := make([]byte, size)
		if err := way.fill(in); err != nil {
			return err
		}
		if far, pages := farPages(in); far > 0 {
			failed = true
			fmt.Printf("rank %d: %s: %d of %d pages are on another node\n", me, way.name, far, pages)
		}
		if err := w.Barrier(); err != nil {
			return err
		}
	}
	if failed {
		return fmt.Errorf("memory of rank %d is far", me)
	}
	return nil
}

// farPages counts the pages of memory that are not on the node of the calling thread.
func farPages(mem []byte) (far, pages int) {
	var cpu, own uint32
	unix.RawSyscall(unix.SYS_GETCPU, uintptr(unsafe.Pointer(&cpu)), uintptr(unsafe.Pointer(&own)), 0)
	const ofAddress = unix.MPOL_F_NODE | unix.MPOL_F_ADDR
	for at := 0; at < len(mem); at += os.Getpagesize() {
		node := int32(-1)
		_, _, errno := syscall.Syscall6(unix.SYS_GET_MEMPOLICY, uintptr(unsafe.Pointer(&node)), 0, 0,
			uintptr(unsafe.Pointer(&mem[at])), ofAddress, 0)
		if errno != 0 || node != int32(own) {
			far++
		}
		pages++
	}
	return far, pages
}
