// Survives is a program whose ranks fail, each scenario in a way of its own. Rank 0 prints a line if all is right.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"github.com/gopvas/gopvas/mpi"
)

var scenarios = map[string]func(world *mpi.Comm) error{
	"messages": messages, "finalized": finalized, "all": all, "abort": abort, "spawn": spawn, "error": returned,
	"children": children, "revoke": revoke, "collectives": collectives, "world": revokeWorld, "agree": agree,
	"again": again, "replace": replace, "during": during, "memory": memory, "refill": refill, "budget": budget,
	"parent": parent, "orphan": orphan, "heavy": heavy,
}

func main() {
	switch os.Args[1] {
	case "early":
		early()
	case "kill":
		kill()
	}
	mpi.Run(func(world *mpi.Comm) error {
		if err := world.Barrier(); err != nil {
			return err
		}
		return scenarios[os.Args[1]](world)
	})
}

// die ends this process as its scenario says.
func die() error {
	if len(os.Args) > 2 && os.Args[2] == "exit" {
		os.Exit(0)
	}
	return syscall.Kill(os.Getpid(), syscall.SIGKILL)
}

// early ends rank 1 before it is in the job. Others wait for it.
func early() {
	if os.Getenv("PVAS_RANK") == "1" {
		os.Exit(9)
	}
	mpi.Run(func(world *mpi.Comm) error { return world.Barrier() })
}

// lost requires that an error names the rank.
func lost(what string, rank int, err error) error {
	lost, ok := errors.AsType[*mpi.LostError](err)
	if !ok || lost.Rank != rank {
		return fmt.Errorf("%s: %v: want the loss of rank %d", what, err, rank)
	}
	return nil
}

// messages has the last rank die. The others exchange messages, and all that needs the dead one fails.
func messages(world *mpi.Comm) error {
	dead := world.Size() - 1
	if world.Rank() == dead {
		return die()
	}
	if err := needsTheDead(world, dead); err != nil {
		return err
	}
	if err := ring(world, dead); err != nil {
		return err
	}
	if err := fromAny(world, dead); err != nil {
		return err
	}
	if err := fresh(world, dead); err != nil {
		return err
	}
	if world.Rank() == 0 {
		fmt.Println("messages: right")
	}
	return nil
}

func needsTheDead(world *mpi.Comm, dead int) error {
	buf, long := []byte{1}, make([]byte, 1<<20)
	_, err := mpi.Recv(world, buf, dead, 1)
	checks := []error{lost("recv", dead, err)}
	checks = append(checks, lost("ssend", dead, mpi.Ssend(world, buf, dead, 1)),
		lost("long send", dead, mpi.Send(world, long, dead, 1)), lost("send", dead, mpi.Send(world, buf, dead, 1)))
	_, err = mpi.Probe(world, dead, 1)
	checks = append(checks, lost("probe", dead, err))
	_, _, err = mpi.Iprobe(world, dead, 1)
	checks = append(checks, lost("iprobe", dead, err))
	r, err := mpi.Irecv(world, buf, dead, 1)
	checks = append(checks, err)
	_, err = r.Wait()
	checks = append(checks, lost("wait", dead, err))
	_, err = mpi.Sendrecv(world, buf, 0, 9, []byte{0}, dead, 9)
	return errors.Join(append(checks, lost("sendrecv", dead, err))...)
}

// ring sends messages of all ways around among the living.
func ring(world *mpi.Comm, living int) error {
	next, before := (world.Rank()+1)%living, (world.Rank()+living-1)%living
	for round := range 30 {
		for _, length := range []int{1, 3000, 40_000, 1 << 20} {
			out, in := make([]byte, length), make([]byte, length)
			out[length-1] = byte(round)
			st, err := mpi.Sendrecv(world, out, next, 2, in, before, 2)
			if err != nil || st.Count != length || in[length-1] != byte(round) {
				return fmt.Errorf("round %d, %d bytes: %v, %v", round, length, st, err)
			}
		}
	}
	return nil
}

// fromAny receives from any source before the failure is acknowledged, and after.
func fromAny(world *mpi.Comm, dead int) error {
	in := []int{-1}
	early, err := mpi.Irecv(world, in, mpi.AnySource, 3)
	if err != nil {
		return err
	}
	_, err = early.Wait()
	pending, ok := errors.AsType[*mpi.PendingError](err)
	if !ok || pending.Lost.Rank != dead || !early.Active() {
		return fmt.Errorf("wait for any source: %v: want a PendingError, and the request to go on", err)
	}
	_, done, err := early.Test()
	if !errors.As(err, &pending) || done {
		return fmt.Errorf("test of any source: %v, %v", done, err)
	}
	requests := []mpi.Request{early}
	if i, _, err := mpi.WaitAny(requests); !errors.As(err, &pending) || i != 0 {
		return fmt.Errorf("wait any: %d, %v", i, err)
	}
	if done, err := mpi.TestAll(requests, nil); !errors.As(err, &pending) || done {
		return fmt.Errorf("test all: %v, %v", done, err)
	}
	if got, _, err := mpi.TestSome(requests, nil, nil); !errors.As(err, &pending) || len(got) > 0 {
		return fmt.Errorf("test some: %v, %v", got, err)
	}
	_, err = mpi.Recv(world, []int{0}, mpi.AnySource, 4)
	if errors.As(err, &pending) {
		return errors.New("a call that blocks leaves no request")
	}
	_, probed := mpi.Probe(world, mpi.AnySource, 4)
	if err := errors.Join(lost("recv from any", dead, err), lost("probe from any", dead, probed)); err != nil {
		return err
	}
	if failed, err := world.Failed().TranslateRanks([]int{0}, world.Group()); err != nil || failed[0] != dead {
		return fmt.Errorf("failed: %v, %v", failed, err)
	}
	if n := world.Acknowledge(0); n != 0 {
		return fmt.Errorf("acknowledged: %d", n)
	}
	if n := world.Acknowledge(1); n != 1 {
		return fmt.Errorf("acknowledged: %d", n)
	}
	next, before := (world.Rank()+1)%dead, (world.Rank()+dead-1)%dead
	if _, err := mpi.Sendrecv(world, []int{0}, before, 7, []int{0}, next, 7); err != nil { // next waits, too
		return err
	}
	if err := mpi.Send(world, []int{world.Rank()}, next, 3); err != nil {
		return err
	}
	st, err := requests[0].Wait()
	if err != nil || in[0] != st.Source || in[0] != before {
		return fmt.Errorf("after it was acknowledged: %v from %v: %v", in, st, err)
	}
	return nil
}

// fresh makes communicators of the living, and uses them.
func fresh(world *mpi.Comm, living int) error {
	alive := world.Group().Difference(world.Failed())
	if alive.Size() != living {
		return fmt.Errorf("%d alive, not %d", alive.Size(), living)
	}
	c, err := world.CreateGroup(alive, 5)
	if err != nil {
		return err
	}
	again, err := c.Dup()
	if err != nil {
		return err
	}
	for range 10 {
		sum := []int{1}
		if err := mpi.Allreduce(again, nil, sum, mpi.Sum[int]()); err != nil || sum[0] != living {
			return fmt.Errorf("sum %v: %v", sum, err)
		}
	}
	return errors.Join(again.Free(), c.Free())
}

// finalized ends a rank with a code after Finalize.
func finalized(world *mpi.Comm) error {
	if world.Rank() == 1 {
		if err := world.Finalize(); err != nil {
			return err
		}
		os.Exit(5)
	}
	return nil
}

// all fail, rank 0 first.
func all(world *mpi.Comm) error {
	if world.Rank() == 0 {
		os.Exit(6)
	}
	_, err := mpi.Recv(world, []int{0}, 0, 0)
	if err := lost("recv", 0, err); err != nil {
		return err
	}
	os.Exit(7)
	return nil
}

// returned ends rank 1 by an error of its function.
func returned(world *mpi.Comm) error {
	if world.Rank() == 1 {
		return errors.New("this rank gives up")
	}
	_, err := mpi.Recv(world, []int{0}, 1, 0)
	return lost("recv", 1, err)
}

func abort(world *mpi.Comm) error {
	if world.Rank() == 1 {
		world.Abort(8)
	}
	_, err := mpi.Recv(world, []int{0}, 1, 0)
	return err
}

// spawn starts programs that end at once. The job goes on.
func spawn(world *mpi.Comm) error {
	for range 3 {
		_, err := world.Spawn(0, mpi.Command{Program: "false", N: 2})
		if !errors.Is(err, mpi.ErrSpawn) {
			return fmt.Errorf("spawn: %v", err)
		}
		if err := world.Barrier(); err != nil {
			return err
		}
	}
	if world.Rank() == 0 {
		fmt.Println("spawn: right")
	}
	return nil
}

// children has a rank die that has started a process, which keeps a pipe open as long as it lives.
func children(world *mpi.Comm) error {
	if world.Rank() == 1 {
		child := exec.Command("sleep", "1000")
		child.Stdout = os.Stdout
		if err := child.Start(); err != nil {
			return err
		}
		if err := mpi.Send(world, []int{child.Process.Pid}, 0, 0); err != nil {
			return err
		}
		return die()
	}
	if world.Rank() > 0 {
		return nil
	}
	pid := []int{0}
	if _, err := mpi.Recv(world, pid, 1, 0); err != nil {
		return err
	}
	_, err := mpi.Recv(world, pid, 1, 0)
	if err := lost("recv", 1, err); err != nil {
		return err
	}
	fmt.Println("child", pid[0])
	fmt.Println("children: right")
	return nil
}
