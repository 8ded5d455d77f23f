// Farm deals tasks to workers, and goes on when some of them die: pvasrun --survive does not end the job then. Rank 0
// has the tasks. It receives results from any worker, and deals the task of one that has failed again. With -die the
// first workers kill themselves in the middle of their first task, as a defect would.
//
//	pvasrun --survive -n 9 ./examples/farm -tasks 100 -die 5
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"syscall"

	"github.com/gopvas/gopvas/mpi"
)

// stop is the task that ends a worker. All messages have the tag 0.
const stop = -1

func main() {
	tasks := flag.Int("tasks", 100, "`number` of tasks")
	die := flag.Int("die", 0, "`number` of workers that die")
	flag.Parse()
	mpi.Run(func(world *mpi.Comm) error {
		if err := world.Barrier(); err != nil { // from here on the job survives
			return err
		}
		if world.Rank() > 0 {
			return work(world, world.Rank() <= *die)
		}
		return deal(world, *tasks)
	})
}

// work does tasks until there are no more.
func work(world *mpi.Comm, dies bool) error {
	for {
		task := []int{0}
		if _, err := mpi.Recv(world, task, 0, 0); err != nil || task[0] == stop {
			return err
		}
		if dies {
			return syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
		if err := mpi.Send(world, []int{task[0], square(task[0])}, 0, 0); err != nil {
			return err
		}
	}
}

func square(n int) int { return n * n }

// A farm is what rank 0 knows.
type farm struct {
	world  *mpi.Comm
	todo   []int
	doing  map[int]int // task by worker
	failed int         // workers that are known to have failed
	sum    int
	dealt  int
}

// deal has workers do the tasks, or does them itself if there is none left.
func deal(world *mpi.Comm, tasks int) error {
	f := &farm{world: world, doing: map[int]int{}}
	for n := range tasks {
		f.todo = append(f.todo, n)
	}
	for worker := 1; worker < world.Size(); worker++ {
		if err := f.give(worker); err != nil {
			return err
		}
	}
	for len(f.doing) > 0 {
		if err := f.take(); err != nil {
			return err
		}
	}
	for _, n := range f.todo {
		f.sum += square(n)
	}
	want := 0
	for n := range tasks {
		want += square(n)
	}
	if f.sum != want {
		return fmt.Errorf("the results add up to %d, not %d", f.sum, want)
	}
	fmt.Printf("farm: %d tasks, dealt %d times; workers that have failed: %d; the sum is right\n", tasks, f.dealt,
		f.failed)
	return nil
}

// give sends a worker a task, or says that there is none.
func (f *farm) give(worker int) error {
	task := stop
	if last := len(f.todo) - 1; last >= 0 {
		task, f.todo = f.todo[last], f.todo[:last]
		f.doing[worker] = task
		f.dealt++
	}
	err := mpi.Send(f.world, []int{task}, worker, 0)
	if errors.As(err, new(*mpi.LostError)) {
		f.bury(worker)
		return nil
	}
	return err
}

// bury has the task of a worker that has failed dealt again.
func (f *farm) bury(worker int) {
	if task, busy := f.doing[worker]; busy {
		f.todo = append(f.todo, task)
		delete(f.doing, worker)
	}
}

// take receives a result, or learns of failures.
func (f *farm) take() error {
	result := []int{0, 0}
	st, err := mpi.Recv(f.world, result, mpi.AnySource, 0)
	if errors.As(err, new(*mpi.LostError)) {
		return f.mourn()
	}
	if err != nil {
		return err
	}
	if _, busy := f.doing[st.Source]; !busy { // it has failed since, and its task is dealt again
		return nil
	}
	delete(f.doing, st.Source)
	f.sum += result[1]
	return f.give(st.Source)
}

// mourn deals the tasks of workers that have failed again. It acknowledges what it knows: the next receive from any
// source fails only if one more has failed.
func (f *farm) mourn() error {
	failed := f.world.Failed()
	all := make([]int, failed.Size())
	for i := range all {
		all[i] = i
	}
	workers, err := failed.TranslateRanks(all, f.world.Group())
	if err != nil {
		return err
	}
	for _, worker := range workers[f.failed:] {
		f.bury(worker)
	}
	f.failed = f.world.Acknowledge(len(workers))
	return nil
}
