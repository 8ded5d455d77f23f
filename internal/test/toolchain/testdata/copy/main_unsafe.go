// Command copy is run twice in one address space. It prints where an object of its heap and a function of it lie, and
// reads where the other copy's object lies. It collects garbage, and then compares that object.
package main

import (
	"fmt"
	"io"
	"os"
	"reflect"
	"runtime"
	"unsafe"
)

const words = 1 << 16

type adder interface{ add(n int) int }

type one struct{}

func (one) add(n int) int { return n + 1 }

type more struct{ by int }

func (m *more) add(n int) int { return n + m.by }

func generic[T int | float64](n T) T { return n + 10 }

// functions are values of all kinds, which the linker or the compiler has put in tables.
var functions = []func(int) int{
	func(n int) int { return n + 2 }, one{}.add, (&more{20}).add, generic[int],
}

func main() {
	mine := new([words]uint64)
	for i := range mine {
		mine[i] = uint64(i)
	}
	fmt.Printf("%x %x\n", uintptr(unsafe.Pointer(mine)), reflect.ValueOf(main).Pointer())
	var at uintptr
	if _, err := fmt.Scanf("%x\n", &at); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	kept := []*[words]uint64{*(**[words]uint64)(unsafe.Pointer(&at))} // on the heap
	for range 30 {
		kept = append(kept, kept[0])
		_ = make([]byte, 1<<20)
		runtime.GC()
	}
	for i := range kept[30] {
		if kept[30][i] != uint64(i) || mine[i] != uint64(i) {
			fmt.Println("word", i, "is", kept[30][i], "and", mine[i])
			os.Exit(1)
		}
	}
	sum := 0
	for _, f := range functions {
		sum = f(sum)
	}
	for _, a := range []adder{one{}, &more{8}} {
		sum = a.add(sum)
	}
	fmt.Println("functions", sum)
	_, _ = io.Copy(io.Discard, os.Stdin) // the other one may still be reading
	runtime.KeepAlive(mine)
}
