package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"github.com/gopvas/gopvas/mpi"
)

// replace has a rank die in each of many rounds, and the others start another one in its place. Its argument is how
// many there are. All members have an exact sum in each round. Rank 0 of the first world lives, and prints a line if no
// descriptor is left of those that have died.
func replace(world *mpi.Comm) error {
	rounds, err := strconv.Atoi(os.Args[2])
	if err != nil {
		return err
	}
	c, round, err := joined(world)
	if err != nil {
		return err
	}
	early := 0
	for ; round < rounds; round++ {
		if round == 10 {
			early = descriptors()
		}
		sum := []int{1 << c.Rank()}
		if err := mpi.Allreduce(c, nil, sum, mpi.Sum[int]()); err != nil || sum[0] != 1<<c.Size()-1 {
			return fmt.Errorf("round %d: sum %v: %v", round, sum, err)
		}
		if err := around(c, 10_000); err != nil {
			return fmt.Errorf("round %d: %w", round, err)
		}
		place := 1 + round%(c.Size()-1)
		if c.Rank() == place {
			return die()
		}
		if c, err = renewed(c, place, round); err != nil {
			return fmt.Errorf("round %d, rank %d: %w", round, c.Rank(), err)
		}
	}
	if left := descriptors() - early; c.Rank() == 0 && left > rounds/4 {
		return fmt.Errorf("%d descriptors are left of %d ranks", left, rounds)
	}
	if c.Rank() == 0 {
		fmt.Println("replace: right")
	}
	return c.Free()
}

// joined returns the communicator in which a rank begins, and the round.
func joined(world *mpi.Comm) (*mpi.Comm, int, error) {
	both, err := world.Parents()
	if err != nil {
		return nil, 0, err
	}
	if both == nil {
		c, err := world.Dup()
		return c, 0, err
	}
	return ordered(both, 0, 0)
}

// renewed returns a communicator with a new rank in the place of one that has died, and frees c.
func renewed(c *mpi.Comm, place, round int) (*mpi.Comm, error) {
	if _, err := mpi.Recv(c, []int{0}, place, 0); !errors.As(err, new(*mpi.LostError)) {
		return c, fmt.Errorf("recv from the dead: %v", err)
	}
	left, err := c.Shrink()
	if err != nil {
		return c, err
	}
	both, err := left.Spawn(0, mpi.Command{Program: os.Args[0], Args: os.Args[1:], N: 1})
	if err != nil {
		return c, err
	}
	rank := c.Rank()
	n, _, err := ordered(both, place, round+1)
	if err == nil && n.Rank() != rank {
		err = fmt.Errorf("it is rank %d now", n.Rank())
	}
	return n, errors.Join(err, left.Free(), c.Free())
}

// ordered has the last rank of both, which is new, be number place. All learn place and round of rank 0.
func ordered(both *mpi.Comm, place, round int) (*mpi.Comm, int, error) {
	told := []int{place, round}
	if err := mpi.Bcast(both, told, 0); err != nil {
		return nil, 0, err
	}
	key := 2 * both.Rank()
	if both.Rank() == both.Size()-1 {
		key = 2*told[0] - 1
	}
	n, err := both.Split(0, key)
	return n, told[1], errors.Join(err, both.Free())
}

// descriptors is how many this process, pvasrun and its host have.
func descriptors() (n int) {
	parent := strconv.Itoa(os.Getppid())
	children, _ := os.ReadFile("/proc/" + parent + "/task/" + parent + "/children")
	for _, pid := range append(strings.Fields(string(children)), parent) {
		name, _ := os.ReadFile("/proc/" + pid + "/comm")
		if !strings.HasPrefix(string(name), "pvasrun") && pid != strconv.Itoa(os.Getpid()) {
			continue
		}
		all, _ := os.ReadDir("/proc/" + pid + "/fd")
		n += len(all)
	}
	return n
}

// during has the last rank die while another world is about to join, which it never does. Rank 0 prints a line.
func during(world *mpi.Comm) error {
	pid := []int{os.Getpid()}
	if err := mpi.Bcast(world, pid, world.Size()-1); err != nil {
		return err
	}
	args := []string{"kill", strconv.Itoa(pid[0])}
	if _, err := world.Spawn(0, mpi.Command{Program: os.Args[0], Args: args, N: 1}); err == nil {
		return errors.New("a rank that has not called Init was started")
	}
	if world.Rank() == 0 {
		fmt.Println("during: right")
	}
	return nil
}

// kill ends another rank, waits until it has gone, and is no rank itself.
func kill() {
	pid, err := strconv.Atoi(os.Args[2])
	if err != nil {
		panic(err)
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
	for syscall.Kill(pid, 0) == nil {
		runtime.Gosched()
	}
	os.Exit(0)
}
