package pool

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/mpi"
	"github.com/gopvas/gopvas/mpi/value"
)

// Tag is that of the messages of this package.
const Tag = 0x706f6f6c

// Result is what a function has made of one input.
type Result[T any] struct {
	Index int // of the input
	Value T
}

// TaskError is the error of a task.
type TaskError struct {
	Index int // of the input
	Err   error
}

// Error names the task.
func (e *TaskError) Error() string { return fmt.Sprintf("pool: task %d: %v", e.Index, e.Err) }

// Unwrap returns the text of what the function has returned.
func (e *TaskError) Unwrap() error { return e.Err }

// Map returns, on rank 0, the result of each input, and nil elsewhere. It blocks until all are there. Where the error
// wraps a *TaskError the result is the zero value; it joins those of all tasks that have failed.
func Map[In, Out any](c *mpi.Comm, inputs []In, f func(In) (Out, error)) ([]Out, error) {
	var results []Out
	if c.Rank() == 0 {
		results = make([]Out, len(inputs))
	}
	var failed []error
	for r, err := range Unordered(c, slices.Values(inputs), f) {
		if err != nil {
			failed = append(failed, err)
		} else {
			results[r.Index] = r.Value
		}
	}
	return results, errors.Join(failed...)
}

// Unordered yields, on rank 0, each result as soon as it is there. The error is that of the task, or one that ends the
// loop. Elsewhere it yields nothing but such an error, and blocks until there are no more tasks. Inputs are taken when
// a rank is idle: there may be any number of them. A slice is passed as slices.Values(s). A loop that is left waits for
// the tasks that are being done, also if it is left by the end of a context (Comm.With). That of rank 0 counts for all.
//
//	for r, err := range pool.Unordered(world, slices.Values(inputs), f) { ... } // r.Index, r.Value
//
//go:noinline
func Unordered[In, Out any](c *mpi.Comm, inputs iter.Seq[In], f func(In) (Out, error)) iter.Seq2[Result[Out], error] {
	return func(yield func(Result[Out], error) bool) {
		whole := c.With(context.Background())
		err := errors.Join(value.Send(whole, batch[In]{}, mpi.ProcNull, Tag),
			value.Send(whole, reply[Out]{}, mpi.ProcNull, Tag))
		switch { // the same on all ranks, if a type cannot travel
		case err != nil:
		case c.Rank() != 0:
			err = work(whole, f)
		default:
			err = deal(c, inputs, f, yield)
		}
		if err != nil {
			yield(Result[Out]{}, comm.Placed(fmt.Errorf("pool: %w", err)))
		}
	}
}

// deal is Unordered of rank 0. It returns no error to a loop that was left.
func deal[In, Out any](c *mpi.Comm, inputs iter.Seq[In], f func(In) (Out, error),
	yield func(Result[Out], error) bool) error {
	none := inputs == nil
	if none {
		inputs = func(func(In) bool) {}
	}
	next, stop := iter.Pull(inputs)
	defer stop()
	goesOn := true
	d := newDealer(c, next, f, func(r Result[Out], err error) bool {
		goesOn = goesOn && yield(r, err)
		return goesOn
	})
	err := d.run()
	switch {
	case !goesOn:
		return nil
	case none:
		return errors.New("the iterator of inputs is nil")
	}
	return err
}

// Ordered is Unordered in the order of the inputs: results wait for those before them.
//
//go:noinline
func Ordered[In, Out any](c *mpi.Comm, inputs iter.Seq[In], f func(In) (Out, error)) iter.Seq2[Result[Out], error] {
	return func(yield func(Result[Out], error) bool) {
		type outcome struct {
			Result[Out]
			err error
		}
		waiting, next := map[int]outcome{}, 0
		for r, err := range Unordered(c, inputs, f) {
			if err != nil {
				task, ok := errors.AsType[*TaskError](err)
				if !ok {
					yield(r, err)
					return
				}
				r.Index = task.Index
			}
			waiting[r.Index] = outcome{r, err}
			for o, ok := waiting[next]; ok; o, ok = waiting[next] {
				delete(waiting, next)
				next++
				if !yield(o.Result, o.err) {
					return
				}
			}
		}
	}
}
