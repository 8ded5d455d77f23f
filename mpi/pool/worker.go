package pool

import (
	"errors"
	"fmt"

	"github.com/gopvas/gopvas/mpi"
	"github.com/gopvas/gopvas/mpi/value"
)

// batch is some inputs that follow one another. Without any it asks the worker for its outputs again, one by one, or
// ends it.
type batch[In any] struct {
	First  int // index of the first
	Inputs []In
	Singly bool
}

// reply is what a worker has made of a batch, or of the next input of it. If N is 0 and nothing was unread, the
// outputs cannot travel together.
type reply[Out any] struct {
	N       int            // tasks
	Outputs []Out          // of those without an error, in their order
	Errors  map[int]string // by place among the N
	Unread  string         // why the worker could not decode the batch
}

// work does tasks until there are no more.
func work[In, Out any](c *mpi.Comm, f func(In) (Out, error)) error {
	var last reply[Out]
	for {
		b, _, err := value.Recv[batch[In]](c, 0, Tag)
		switch {
		case errors.As(err, new(*value.DecodeError)):
			err = value.Send(c, reply[Out]{Unread: err.Error()}, 0, Tag)
		case err != nil:
		case b.Singly:
			err = singly(c, last)
		case len(b.Inputs) == 0:
			return nil
		default:
			last = do(b, f, c.Rank())
			err = answer(c, last)
		}
		if err != nil {
			return err
		}
	}
}

// do does the tasks of a batch, at a rank.
func do[In, Out any](b batch[In], f func(In) (Out, error), rank int) reply[Out] {
	r := reply[Out]{N: len(b.Inputs)}
	for i, in := range b.Inputs {
		out, err := call(f, in, rank)
		if err != nil {
			r.fail(i, err)
		} else {
			r.Outputs = append(r.Outputs, out)
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

// failed is the reply of one task that has an error.
func failed[Out any](err error) reply[Out] {
	r := reply[Out]{N: 1}
	r.fail(0, err)
	return r
}

// call is f, a panic of which is an error.
func call[In, Out any](f func(In) (Out, error), in In, rank int) (out Out, err error) {
	if f == nil {
		return out, fmt.Errorf("the function is nil at rank %d", rank)
	}
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	return f(in)
}

// answer sends a reply. The error in place of an output that cannot travel can.
func answer[Out any](c *mpi.Comm, r reply[Out]) error {
	err := value.Send(c, r, 0, Tag)
	if _, refused := errors.AsType[*value.EncodeError](err); !refused {
		return err
	}
	if r.N > 1 {
		return value.Send(c, reply[Out]{}, 0, Tag)
	}
	return value.Send(c, failed[Out](err), 0, Tag)
}

// singly sends a reply task by task.
func singly[Out any](c *mpi.Comm, r reply[Out]) error {
	outputs := r.Outputs
	for i := range r.N {
		one := reply[Out]{N: 1}
		if text, failed := r.Errors[i]; failed {
			one.Errors = map[int]string{0: text}
		} else {
			one.Outputs, outputs = outputs[:1], outputs[1:]
		}
		if err := answer(c, one); err != nil {
			return err
		}
	}
	return nil
}
