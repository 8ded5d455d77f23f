// Command cpubound computes for a while and prints the CPU time that it took, in
// seconds. bench all builds it as an executable with a fixed address and as a position
// independent one, and compares them. Its argument is how often to repeat the work; with
// 0 it only starts.
package main

import (
	"fmt"
	"hash/fnv"
	"os"
	"slices"
	"strconv"
	"syscall"
)

const (
	rows = 96
	keys = 20_000
)

// table is a global that functions call through: what position independence could cost.
var table = [...]func(seed uint32) uint32{multiply, sort, hash}

var a, b, product [rows][rows]float64

func main() {
	if len(os.Args) != 2 {
		fail("one argument is needed: how often to repeat the work")
	}
	times, err := strconv.Atoi(os.Args[1])
	if err != nil {
		fail(err)
	}
	sum := uint32(1)
	for range times {
		for _, work := range table {
			sum = work(sum)
		}
	}
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		fail(err)
	}
	seconds := float64(used.Utime.Nano()+used.Stime.Nano()) / 1e9
	fmt.Printf("%.6f %d\n", seconds, sum)
}

func fail(why any) {
	fmt.Fprintln(os.Stderr, "cpubound:", why)
	os.Exit(2)
}

// multiply multiplies matrices.
func multiply(seed uint32) uint32 {
	for i := range rows {
		for k := range rows {
			a[i][k], b[i][k], product[i][k] = float64(seed%7), float64(i^k), 0
		}
	}
	for i := range rows {
		for k := range rows {
			for j := range rows {
				product[i][j] += a[i][k] * b[k][j]
			}
		}
	}
	return seed + uint32(product[1][2])
}

// sort sorts pseudo-random numbers.
func sort(seed uint32) uint32 {
	list := make([]uint32, keys)
	for i := range list {
		seed = seed*1664525 + 1013904223
		list[i] = seed
	}
	slices.Sort(list)
	return list[keys/2]
}

// hash counts words in a map and hashes them.
func hash(seed uint32) uint32 {
	count := map[uint32]int{}
	h := fnv.New32a()
	for i := range keys {
		seed = seed*1664525 + 1013904223
		count[seed>>20]++
		h.Write([]byte{byte(seed), byte(seed >> 8), byte(i)})
	}
	return h.Sum32() + uint32(count[seed>>20])
}
