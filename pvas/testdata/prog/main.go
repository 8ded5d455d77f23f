// Command prog is the program that the tests of package pvas run as a task.
package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"
)

var global = 42 // private to every task

func main() {
	modes := map[string]func(args []string){
		"args": args, "exit": exit, "panic": func([]string) { panic("on purpose") }, "nil": nilStore,
		"block": block, "exec": execChild, "collect": collect, "global": setGlobal, "stdio": stdio,
		"compute": compute, "heap": heap,
	}
	if len(os.Args) < 2 || modes[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "prog: unknown mode", os.Args)
		os.Exit(2)
	}
	modes[os.Args[1]](os.Args[2:])
}

func args(args []string) {
	fmt.Printf("%q %q %d\n", os.Args[0], args, os.Getpid())
	fmt.Println(os.Getenv("PROG_VALUE"), len(os.Environ()))
}

func exit(args []string) {
	code, _ := strconv.Atoi(args[0])
	os.Exit(code)
}

func nilStore([]string) {
	var p *int
	*p = 1
}

// block says that it is up and waits for an interrupt.
func block([]string) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt)
	fmt.Println("up")
	<-c
	fmt.Println("interrupted")
}

// heap has much memory with ones, and says where.
func heap([]string) {
	ones := bytes.Repeat([]byte{1}, 100<<20)
	fmt.Printf("%p\n", ones)
	block(nil)
	runtime.KeepAlive(ones)
}

func execChild([]string) {
	out, err := exec.Command("/bin/sh", "-c", "echo child of $PPID").CombinedOutput()
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Printf("%d %s", os.Getpid(), out)
}

// collect allocates MiB of garbage in pieces, keeping some alive, and checks
// that what it kept has survived the collections.
func collect(args []string) {
	mib, _ := strconv.Atoi(args[0])
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			kept := map[int][]int{}
			for i := range mib * 16 / 4 {
				piece := make([]int, 8<<10) // 64 KiB
				piece[0], piece[len(piece)-1] = i, w
				kept[i%64] = piece
			}
			for slot, piece := range kept {
				if piece[0]%64 != slot || piece[len(piece)-1] != w {
					panic("the collector lost memory")
				}
			}
		})
	}
	wg.Wait()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	fmt.Println("allocated", m.TotalAlloc>>20 >= uint64(mib), "collections", m.NumGC > 0)
}

func setGlobal(args []string) {
	before := global
	global, _ = strconv.Atoi(args[0])
	time.Sleep(10 * time.Millisecond) // let the other task store its value too
	fmt.Println(before, global)
}

// compute multiplies matrices, sorts and hashes for a while, and prints how many
// nanoseconds of CPU time the whole process has used.
func compute([]string) {
	const n = 256
	var a, b, c [n][n]float64
	for i := range a {
		for j := range a[i] {
			a[i][j], b[i][j] = float64(i+j), float64(i-j)
		}
	}
	for range 12 {
		for i := range a {
			for k := range b {
				for j := range c[i] {
					c[i][j] += a[i][k] * b[k][j]
				}
			}
		}
		words := map[uint64]int{}
		x := uint64(1)
		for i := range 200_000 {
			x = x*6364136223846793005 + 1442695040888963407
			words[x>>46] = i
		}
		keys := slices.Sorted(maps.Keys(words))
		c[0][0] += float64(keys[len(keys)/2] % 2)
	}
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err)
	}
	fmt.Println(used.Utime.Nano()+used.Stime.Nano(), c[0][0] != 0)
}

func stdio([]string) {
	buf := make([]byte, 64)
	n, _ := syscall.Read(0, buf)
	fmt.Fprintf(os.Stdout, "out %s", buf[:n])
	fmt.Fprintf(os.Stderr, "err %s", buf[:n])
}
