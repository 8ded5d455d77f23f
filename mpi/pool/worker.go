package pool

import (
	"fmt"

	"github.com/gopvas/gopvas/mpi"
	"github.com/gopvas/gopvas/mpi/value"
)

// batch is some inputs that follow one another. Without any it ends a worker.
type batch[In any] struct {
	First  int // index of the first
	Inputs []In
}

// reply is what a worker has made of a batch, or of the next inputs of it.
type reply[Out any] struct {
	Outputs []Out
	Errors  map[int]string // by place in Outputs
}

// work does tasks until there are no more.
func work[In, Out any](c *mpi.Comm, f func(In) (Out, error)) error {
	for {
		b, _, err := value.Recv[batch[In]](c, 0, Tag)
		if err != nil || len(b.Inputs) == 0 {
			return err
		}
		if err := answer(c, do(b, f)); err != nil {
			return err
		}
	}
}

func do[In, Out any](b batch[In], f func(In) (Out, error)) reply[Out] {
	r := reply[Out]{Outputs: make([]Out, len(b.Inputs))}
	for i, in := range b.Inputs {
		out, err := call(f, in)
		if err != nil {
			r.fail(i, err)
		} else {
			r.Outputs[i] = out
		}
	}
	return r
}

func (r *reply[Out]) fail(i int, err error) {
	if r.Errors == nil {
		r.Errors = map[int]string{}
	}
	r.Errors[i] = err.Error()
}

// call is f, a panic of which is an error.
func call[In, Out any](f func(In) (Out, error), in In) (out Out, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	return f(in)
}

// answer sends a reply. If it cannot travel as a whole each output goes alone, or the error in its place.
func answer[Out any](c *mpi.Comm, r reply[Out]) error {
	err := value.Send(c, r, 0, Tag)
	if err == nil || len(r.Outputs) == 0 {
		return err
	}
	for i, out := range r.Outputs {
		one := reply[Out]{Outputs: []Out{out}}
		if text, failed := r.Errors[i]; failed {
			one.Errors = map[int]string{0: text}
		}
		if err := value.Send(c, one, 0, Tag); err != nil {
			one = reply[Out]{Outputs: make([]Out, 1)}
			one.fail(0, err)
			if err := value.Send(c, one, 0, Tag); err != nil {
				return err
			}
		}
	}
	return nil
}
