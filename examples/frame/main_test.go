package main

import (
	"fmt"
	"os"
	"testing"

	"github.com/gopvas/gopvas/mpi"
)

var world *mpi.Comm

// TestMain makes the test a rank. go test -exec "pvasrun -n 3" ./examples/frame has three of them.
func TestMain(m *testing.M) {
	var err error
	if world, err = mpi.Init(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if code := m.Run(); code != 0 {
		os.Exit(code) // ends all ranks
	}
	if err := world.Finalize(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func TestWork(t *testing.T) {
	if err := work(world); err != nil {
		t.Fatal(err)
	}
}
