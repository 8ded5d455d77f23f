package mpi

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/job/jobtest"
)

func TestMain(m *testing.M) {
	programs := map[string]func() error{
		"whole life":     wholeLife,
		"shared windows": program(sharedWindows),
		"own window":     program(windowOfItsOwn),
		"busy windows":   program(busyWindows),
		"windows":        program(windowsWithoutEnd),
		"too much":       program(tooMuch),
		"stranger":       program(stranger),
		"suicide":        program(suicide),
		"early leaver":   program(earlyLeaver),
		"abort":          program(abort),
		"fails":          program(fails),
		"nothing":        program(func(*Comm) error { return nil }),
		"leaves windows": program(leavesWindows),
		"child":          program(child),
		"p2p":            program(p2pConformance),
		"communicators":  program(commConformance),
		"collectives":    program(collConformance),
		"nonblocking":    program(nonblockingConformance),
		"algorithm":      program(barrierAlgorithm),

		"nonblocking until death": program(nonblockingUntilDeath),
		"until death":             program(exchangeUntilDeath),
		"views until death":       program(viewsUntilDeath),
		"is child":                isChild,

		"interrupted":          program(interruptedCalls),
		"interrupted world":    program(interruptedWorld),
		"interrupted survivor": program(interruptedSurvivor),
		"interrupted ends":     interruptedEnds,
	}
	maps.Copy(programs, ExamplePrograms)
	jobtest.Main(m, programs)
}

// program makes a rank of what is done between Init and Finalize.
func program(f func(*Comm) error) func() error {
	return func() error { Run(f); return nil }
}

// want returns an error unless the two are the same.
func want[T comparable](what string, have, want T) error {
	if have != want {
		return fmt.Errorf("%s is %v, not %v", what, have, want)
	}
	return nil
}

// wantIs returns an error unless err wraps target.
func wantIs(what string, err, target error) error {
	if !errors.Is(err, target) {
		return fmt.Errorf("%s: %v, not %v", what, err, target)
	}
	return nil
}

// wholeLife checks what holds before, in and after the job, also for a job of one.
func wholeLife() error {
	path, pathErr := Executable()
	c, err := Init()
	if err != nil {
		return err
	}
	later, laterErr := Executable()
	_, again := Init()
	_, inherited := os.LookupEnv(job.EnvJob)
	_, _, partition := c.Partition()
	win, winErr := WinAllocateShared[byte](c, 100)
	checks := errors.Join(pathErr, laterErr, winErr,
		want("Executable after Init", later, path),
		wantIs("second Init", again, ErrInitialized),
		want("PVAS_JOB is set", inherited, false),
		want("partition", partition, false),
		c.Barrier(),
		c.Finalize(),
		wantIs("second Finalize", c.Finalize(), ErrFinalized),
		wantIs("Barrier after Finalize", c.Barrier(), ErrFinalized),
	)
	if checks != nil {
		return checks
	}
	_, late := WinAllocateShared[byte](c, 1)
	_, segment := win.Segment(0)
	_, again = Init()
	win.Local()[99]++ // memory outlives Finalize
	fmt.Printf("%d of %d, %s\n", c.Rank(), c.Size(), path)
	return errors.Join(
		wantIs("window after Finalize", late, ErrFinalized),
		wantIs("segment after Finalize", segment, ErrFinalized),
		wantIs("Init after Finalize", again, ErrInitialized))
}

// sharedWindows has windows of lengths that differ, also 0, and reads and writes
// those of all peers, from several goroutines.
func sharedWindows(c *Comm) error {
	for round := range 3 {
		win, err := WinAllocateShared[byte](c, c.Rank()*5000*(round+1))
		if err != nil {
			return err
		}
		for i := range win.Local() {
			win.Local()[i] = byte(c.Rank() + i)
		}
		if err := c.Barrier(); err != nil {
			return err
		}
		var wg sync.WaitGroup
		errs := make([]error, c.Size())
		for peer := range c.Size() {
			wg.Go(func() { errs[peer] = readSegment(win, peer, peer*5000*(round+1)) })
		}
		wg.Wait()
		if err := errors.Join(append(errs, c.Barrier())...); err != nil {
			return err
		}
		if err := writeSegments(c, win); err != nil {
			return err
		}
	}
	return nil
}

func readSegment(win *Window[byte], peer, length int) error {
	mem, err := win.Segment(peer)
	if err != nil {
		return err
	}
	if err := want("length", len(mem), length); err != nil {
		return err
	}
	for i, b := range mem {
		if b != byte(peer+i) {
			return fmt.Errorf("byte %d of rank %d is %d", i, peer, b)
		}
	}
	return nil
}

// writeSegments lets each rank write its byte into the windows of all others.
func writeSegments(c *Comm, win *Window[byte]) error {
	for peer := 1; peer < c.Size(); peer++ {
		mem, err := win.Segment(peer)
		if err != nil {
			return err
		}
		mem[c.Rank()] = byte(100 + c.Rank())
	}
	if err := c.Barrier(); err != nil {
		return err
	}
	if c.Rank() == 0 {
		return nil // its window is empty
	}
	for peer := range c.Size() {
		if err := want("byte of peer", win.Local()[peer], byte(100+peer)); err != nil {
			return err
		}
	}
	return nil
}

// tooMuch: one rank cannot have its memory, so nobody has a window, and all can
// go on.
func tooMuch(c *Comm) error {
	n := 4096
	if c.Rank() == c.Size()-1 {
		n = math.MaxInt
	}
	_, err := WinAllocateShared[byte](c, n)
	fmt.Println(err)
	if _, err := WinAllocateShared[byte](c, 4096); err != nil {
		return err
	}
	return c.Barrier()
}

// stranger asks for ranks that do not exist, and for what sm cannot do.
func stranger(c *Comm) error {
	win, err := WinAllocateShared[byte](c, 10)
	if err != nil {
		return err
	}
	for _, rank := range []int{-1, c.Size(), math.MaxInt} {
		_, err := win.Segment(rank)
		bad, ok := errors.AsType[*RankError](err)
		if !ok {
			return fmt.Errorf("segment of rank %d: %v", rank, err)
		}
		if err := want("rank", bad.Rank, rank); err != nil {
			return err
		}
	}
	_, err = WinCreate(c, make([]byte, 10))
	return wantIs("WinCreate", err, ErrNotOneAddressSpace)
}

// windowOfItsOwn: a rank alone has a window over ordinary memory, and reaches it.
func windowOfItsOwn(c *Comm) error {
	mem := []int{1, 2, 3}
	w, err := WinCreate(c, mem)
	if err != nil {
		return err
	}
	segment, err := w.Segment(0)
	if err != nil {
		return err
	}
	segment[1] = 7
	got := make([]int, 2)
	if err := first(w.LockAll(), w.Get(got, 0, 1), w.UnlockAll()); err != nil {
		return err
	}
	return first(want("Get", fmt.Sprint(got), "[7 3]"), want("memory", mem[1], 7), w.Free())
}

// suicide kills the last rank between two barriers.
func suicide(c *Comm) error {
	if err := c.Barrier(); err != nil {
		return err
	}
	if c.Rank() == c.Size()-1 {
		return syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
	_, winErr := WinAllocateShared[byte](c, 10)
	fmt.Println(c.Barrier())
	if _, ok := errors.AsType[*LostError](winErr); !ok {
		return fmt.Errorf("window: %v", winErr)
	}
	return nil
}

// earlyLeaver: Finalize waits for nobody, and rank 0's memory outlives rank 0.
func earlyLeaver(c *Comm) error {
	win, err := WinAllocateShared[byte](c, 5000)
	if err != nil {
		return err
	}
	for i := range win.Local() {
		win.Local()[i] = byte(c.Rank() + i)
	}
	if err := c.Barrier(); err != nil || c.Rank() == 0 {
		return err
	}
	if _, ok := errors.AsType[*LostError](c.Barrier()); !ok {
		return errors.New("the barrier does not notice that rank 0 has left")
	}
	return readSegment(win, 0, 5000)
}

func abort(c *Comm) error {
	defer fmt.Println("deferred functions must not run")
	c.Abort([]int{77, 0, 256}[c.Rank()])
	return nil
}

func fails(c *Comm) error {
	if c.Rank() == 1 {
		return errors.New("the sky is falling")
	}
	return nil
}

// child starts a program from a rank: it is a job of its own.
func child(c *Comm) error {
	cmd := exec.Command("/proc/self/exe", "-test.run=^$")
	cmd.Env = append(os.Environ(), "JOBTEST_PROGRAM=is child")
	out, err := cmd.CombinedOutput()
	fmt.Printf("%s", out)
	return err
}

func isChild() error {
	c, err := Init()
	if err != nil {
		return err
	}
	path, err := Executable()
	if err != nil {
		return err
	}
	self, err := os.Executable()
	fmt.Println(c.Rank(), c.Size(), path == self)
	return err
}

func leavesWindows(world *Comm) error {
	_, err := WinAllocateShared[int](world, 1)
	_, err2 := WinAllocateShared[int](world, 2)
	return first(err, err2)
}
