// Command work is the program of jobs on a rig. Each rank announces itself.
//
//	work check    collective operations and messages with known results
//	work alltoall one short Alltoall
//	work busy     the same, until a peer is lost
//	work idle     waits until it is killed
//	work slow     the last rank comes 3 s late to a barrier
//	work stuck    each rank waits for a message of the next
//	work spawn    the ranks start four others on n1, n0 and where pvasrun has them, and check all together
//	work spawned  the same, and then busy
//	work accept FILE [busy]   writes the name of a port into a file, and accepts there; both jobs check all together
//	work connect FILE [busy]  connects to it
package main

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/gopvas/gopvas/mpi"
)

func main() {
	world, err := mpi.Init()
	if err != nil {
		fail(err)
	}
	host, _ := os.Hostname()
	fmt.Printf("rank %d of %d on %s pid %d\n", world.Rank(), world.Size(), host, os.Getpid())
	switch os.Args[1] {
	case "idle":
		_ = syscall.Pause()
	case "slow":
		if world.Rank() == world.Size()-1 {
			time.Sleep(3 * time.Second)
		}
		if err = world.Barrier(); err == nil {
			err = world.Finalize()
		}
	case "stuck":
		_, err = mpi.Recv(world, make([]int, 1), (world.Rank()+1)%world.Size(), 7)
	case "busy":
		for err == nil {
			err = check(world)
		}
	case "alltoall":
		if err = alltoall(world, 1); err == nil {
			err = world.Finalize()
		}
	case "spawn", "spawned":
		err = spawn(world)
	case "accept", "connect":
		err = meet(world, os.Args[2])
	default:
		if err = check(world); err == nil {
			err = world.Finalize()
		}
	}
	if err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "work:", err)
	os.Exit(1)
}

// spawn is both the ranks that start others and these.
func spawn(world *mpi.Comm) error {
	all, err := world.Parents()
	if err == nil && all == nil {
		one := mpi.Command{Program: os.Args[0], Args: os.Args[1:], N: 1}
		missing, n0, n1, two := one, one, one, one
		missing.Program, n0.Host, n1.Host, two.N = "/no/such/program", "n0", "n1", 2
		if _, err := world.Spawn(0, n0, missing); !errors.Is(err, mpi.ErrSpawn) {
			return fmt.Errorf("a program that is missing: %w", err)
		}
		missing.Program, missing.Host = os.Args[0], "n7"
		if _, err := world.Spawn(world.Size()-1, missing); !errors.Is(err, mpi.ErrSpawn) {
			return fmt.Errorf("a node that is none: %w", err)
		}
		all, err = world.Spawn(world.Size()-1, n1, n0, two)
	}
	if err != nil {
		return err
	}
	for err = check(all); err == nil && os.Args[1] == "spawned"; {
		err = check(all)
	}
	if err == nil {
		err = check(world)
	}
	return errors.Join(err, all.Free(), world.Finalize())
}

// meet is both jobs that meet at a port, whose name is in a file.
func meet(world *mpi.Comm, file string) (err error) {
	var all *mpi.Comm
	if os.Args[1] == "accept" {
		port := ""
		if port, err = world.OpenPort(); err == nil && world.Rank() == 0 {
			err = os.WriteFile(file+".new", []byte(port), 0o600)
			err = errors.Join(err, os.Rename(file+".new", file))
		}
		if err == nil {
			all, err = world.Accept(port, 0)
		}
	} else {
		var port []byte
		if port, err = os.ReadFile(file); err == nil {
			all, err = world.Connect(string(port), 0)
		}
	}
	if err != nil {
		return err
	}
	fmt.Printf("rank %d has met\n", world.Rank())
	for err = check(all); err == nil && len(os.Args) > 3; {
		err = check(all)
	}
	if err == nil {
		err = check(world)
	}
	return errors.Join(err, all.Free(), world.Finalize())
}

// check exchanges messages of all protocols, and does collective operations.
func check(world *mpi.Comm) error {
	n, me := world.Size(), world.Rank()
	for _, count := range []int{1, 100, 10_000} {
		send, recv := make([]int, n*count), make([]int, n*count)
		if err := alltoall(world, count); err != nil {
			return err
		}
		for i := range send {
			send[i] = me * n
		}
		if err := mpi.Allreduce(world, send[:count], recv[:count], mpi.Sum[int]()); err != nil {
			return err
		}
		if want := n * n * (n - 1) / 2; recv[count-1] != want {
			return fmt.Errorf("allreduce: %d, and not %d", recv[count-1], want)
		}
		right, left := (me+1)%n, (me+n-1)%n
		if _, err := mpi.Sendrecv(world, send, right, 1, recv, left, 1); err != nil {
			return err
		}
		if recv[0] != left*n {
			return fmt.Errorf("sendrecv: %d, and not %d", recv[0], left*n)
		}
	}
	return world.Barrier()
}

func alltoall(world *mpi.Comm, count int) error {
	n, me := world.Size(), world.Rank()
	send, recv := make([]int, n*count), make([]int, n*count)
	for i := range send {
		send[i] = me*n + i/count
	}
	if err := mpi.Alltoall(world, send, recv); err != nil {
		return err
	}
	for i := range recv {
		if want := i/count*n + me; recv[i] != want {
			return fmt.Errorf("alltoall: %d is %d, and not %d", i, recv[i], want)
		}
	}
	return nil
}
