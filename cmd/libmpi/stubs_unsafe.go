//go:build cgo

package main

import (
	"fmt"
	"os"
	"unsafe"

	"github.com/gopvas/gopvas/comm"
)

var world *comm.Comm

func slots(args uintptr) *[8]int64 { return *(**[8]int64)(unsafe.Pointer(&args)) }

func setInt(address int64, v int) {
	a := uintptr(address)
	**(**int32)(unsafe.Pointer(&a)) = int32(v)
}

func buffer(address, n int64) []byte {
	a := uintptr(address)
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&a)), n)
}

func call(op int, args uintptr) int64 {
	a := slots(args)
	var err error
	switch op {
	case 0:
		world, err = comm.Init(comm.Operators{})
	case 1:
		err = world.Finalize()
	case 2:
		setInt(a[1], world.Rank())
	case 3:
		setInt(a[1], world.Size())
	case 4:
		err = comm.Send(world, comm.Standard, buffer(a[0], a[1]), int(a[3]), int(a[4]))
	case 5:
		err = comm.Recv(world, new(comm.Status), buffer(a[0], a[1]), 1, int(a[3]), int(a[4]))
	case 6:
		err = world.Barrier()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return 0
}
