// Command busy is a rank program of the chaos driver. It does one thing until it
// is killed, or until a peer is lost.
//
//	busy messages|collectives|nonblocking|children|idle|stubborn
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"github.com/gopvas/gopvas/mpi"
)

func main() {
	act, known := map[string]func(*mpi.Comm) error{
		"messages": messages, "collectives": collectives, "nonblocking": nonblocking, "children": children,
		"idle": idle, "stubborn": stubborn,
	}[os.Args[1]]
	if !known {
		fmt.Fprintln(os.Stderr, "busy: no such activity:", os.Args[1])
		os.Exit(99)
	}
	world, err := mpi.Init()
	for err == nil || errors.Is(err, syscall.EINTR) {
		err = act(world)
	}
	fmt.Fprintln(os.Stderr, "busy:", err)
	os.Exit(1)
}

// messages shifts buffers of all protocols around the ranks.
func messages(world *mpi.Comm) error {
	n := world.Size()
	right, left := (world.Rank()+1)%n, (world.Rank()+n-1)%n
	for _, size := range []int{8, 700, 4096, 100_000, 3 << 20} {
		out, in := make([]byte, size), make([]byte, size)
		if _, err := mpi.Sendrecv(world, out, right, 1, in, left, 1); err != nil {
			return err
		}
	}
	return nil
}

func collectives(world *mpi.Comm) error {
	n := world.Size()
	for _, count := range []int{1, 1000, 100_000} {
		send, recv := make([]float64, n*count), make([]float64, n*count)
		if err := mpi.Alltoall(world, send, recv); err != nil {
			return err
		}
		if err := mpi.Allreduce(world, send[:count], recv[:count], mpi.Sum[float64]()); err != nil {
			return err
		}
		if err := mpi.Bcast(world, recv, count%n); err != nil {
			return err
		}
	}
	return world.Barrier()
}

func nonblocking(world *mpi.Comm) error {
	for _, count := range []int{1, 1000, 100_000} {
		send, recv := make([]float64, count), make([]float64, count)
		request, err := mpi.Iallreduce(world, send, recv, mpi.Sum[float64]())
		if err != nil {
			return err
		}
		if _, err := request.Wait(); err != nil {
			return err
		}
	}
	return nil
}

// children leaves one process behind in its group and one in a session of its
// own, and has others come and go.
func children(world *mpi.Comm) error {
	for _, apart := range []bool{false, true} {
		cmd := exec.Command("/bin/sleep", "1000")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: apart}
		if err := cmd.Start(); err != nil {
			return err
		}
	}
	for {
		if err := exec.Command("/bin/sh", "-c", "(true &)").Run(); err != nil {
			return err
		}
		if err := world.Barrier(); err != nil {
			return err
		}
	}
}

func idle(*mpi.Comm) error { return syscall.Pause() }

// stubborn takes no notice of TERM.
func stubborn(*mpi.Comm) error {
	signal.Ignore(syscall.SIGTERM)
	return syscall.Pause()
}
