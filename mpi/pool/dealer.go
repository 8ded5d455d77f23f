package pool

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/gopvas/gopvas/mpi"
	"github.com/gopvas/gopvas/mpi/value"
)

// dealer is rank 0. Each input is in one place: not taken yet, in again, or in doing. A worker has one batch at
// most: it waits for a message whenever the dealer sends it one. The dealer ends each worker, however it ends itself.
// So no message is left, and the context of a view ends no more than the dealer's waits for replies.
type dealer[In, Out any] struct {
	c     *mpi.Comm // without a context
	view  *mpi.Comm
	next  func() (In, bool)
	f     func(In) (Out, error)
	yield func(Result[Out], error) bool

	taken  int         // inputs
	again  []batch[In] // of workers that have failed
	idle   []int       // workers
	doing  map[int]*job[In]
	sizes  map[int]int // of the next batch of each worker
	failed int         // workers that are known to have failed
	left   bool        // the program has left the loop
}

// job is what a worker does.
type job[In any] struct {
	batch[In]
	begun  time.Time
	singly bool // each reply is that of one task
}

func newDealer[In, Out any](view *mpi.Comm, next func() (In, bool), f func(In) (Out, error),
	yield func(Result[Out], error) bool) *dealer[In, Out] {
	c := view.With(context.Background())
	d := &dealer[In, Out]{c: c, view: view, next: next, f: f, yield: yield, doing: map[int]*job[In]{},
		sizes: map[int]int{}}
	for worker := c.Size() - 1; worker > 0; worker-- {
		d.idle = append(d.idle, worker)
		d.sizes[worker] = 1
	}
	return d
}

// run deals until there are no more inputs, and ends the workers: also after an error, and if the program panics.
func (d *dealer[In, Out]) run() (err error) {
	defer func() {
		d.left, d.view = true, d.c
		if ended := d.end(); err == nil {
			err = ended
		}
	}()
	return d.rounds()
}

// rounds deals until there are no more inputs, and no worker has any.
func (d *dealer[In, Out]) rounds() error {
	for {
		if err := d.deal(); err != nil {
			return err
		}
		if len(d.doing) == 0 {
			return nil
		}
		if err := d.receive(); err != nil {
			return err
		}
	}
}

// end waits for what workers do, and ends them.
func (d *dealer[In, Out]) end() error {
	if err := d.rounds(); err != nil {
		return err
	}
	for len(d.idle) > 0 {
		if err := d.give(batch[In]{}); err != nil {
			return err
		}
	}
	return nil
}

// deal gives each idle worker a batch. If there is no worker any more this rank does all.
func (d *dealer[In, Out]) deal() error {
	for !d.left && (len(d.idle) > 0 || len(d.doing) == 0) {
		size := 1
		if len(d.idle) > 0 {
			size = d.sizes[d.idle[len(d.idle)-1]]
		}
		b := d.take(size)
		if len(b.Inputs) == 0 {
			return nil
		}
		if len(d.idle) == 0 {
			d.tell(b, do(b, d.f, 0))
			if _, _, err := mpi.Iprobe(d.view, mpi.ProcNull, Tag); err != nil { // the context has ended
				return err
			}
			continue
		}
		if err := d.give(b); err != nil {
			return err
		}
	}
	return nil
}

// take takes inputs, none if there are no more.
func (d *dealer[In, Out]) take(size int) batch[In] {
	if last := len(d.again) - 1; last >= 0 {
		b := d.again[last]
		d.again = d.again[:last]
		return b
	}
	b := batch[In]{First: d.taken}
	for len(b.Inputs) < size {
		in, ok := d.next()
		if !ok {
			break
		}
		b.Inputs = append(b.Inputs, in)
	}
	d.taken += len(b.Inputs)
	return b
}

// give gives a batch to an idle worker. What cannot travel has failed.
func (d *dealer[In, Out]) give(b batch[In]) error {
	last := len(d.idle) - 1
	worker := d.idle[last]
	err := value.Send(d.c, b, worker, Tag)
	switch _, refused := errors.AsType[*value.EncodeError](err); {
	case err == nil:
		d.idle = d.idle[:last]
		if len(b.Inputs) > 0 {
			d.doing[worker] = &job[In]{batch: b, begun: time.Now()}
		}
	case errors.As(err, new(*mpi.LostError)):
		d.idle = d.idle[:last]
		d.back(b)
	case refused:
		d.refuse(b, err)
	default:
		return err
	}
	return nil
}

// refuse deals the inputs of a batch that cannot travel one by one. One alone has failed.
func (d *dealer[In, Out]) refuse(b batch[In], err error) {
	if len(b.Inputs) == 1 {
		d.tell(b, failed[Out](err))
		return
	}
	for i := range slices.Backward(b.Inputs) { // the first is dealt next
		d.back(batch[In]{First: b.First + i, Inputs: b.Inputs[i : i+1]})
	}
}

// back has a batch dealt again.
func (d *dealer[In, Out]) back(b batch[In]) {
	if len(b.Inputs) > 0 {
		d.again = append(d.again, b)
	}
}

// receive receives a reply, or learns of failures.
func (d *dealer[In, Out]) receive() error {
	r, st, err := value.Recv[reply[Out]](d.view, mpi.AnySource, Tag)
	_, undecoded := errors.AsType[*value.DecodeError](err)
	switch {
	case errors.As(err, new(*mpi.LostError)):
		return d.mourn(err)
	case err != nil && !undecoded:
		return err
	}
	worker := st.Source
	j := d.doing[worker]
	switch {
	case j == nil: // the worker has failed since, and its batch is dealt again
		return nil
	case r.Unread != "":
		d.over(worker)
		d.refuse(j.batch, errors.New(r.Unread))
		return nil
	case undecoded && (j.singly || len(j.Inputs) == 1):
		r = failed[Out](err)
	case undecoded, r.N <= 0:
		j.singly = true
		return d.send(worker, batch[In]{Singly: true})
	}
	r.N = min(r.N, len(j.Inputs))
	done := batch[In]{First: j.First, Inputs: j.Inputs[:r.N]}
	j.First, j.Inputs = j.First+r.N, j.Inputs[r.N:]
	if len(j.Inputs) == 0 {
		d.over(worker)
		d.resize(worker, r.N, time.Since(j.begun))
	}
	d.tell(done, r)
	return nil
}

// over notes that a worker has done its batch.
func (d *dealer[In, Out]) over(worker int) {
	delete(d.doing, worker)
	d.idle = append(d.idle, worker)
}

// send sends to a worker that does a batch. If the worker has failed a receive says so.
func (d *dealer[In, Out]) send(worker int, b batch[In]) error {
	err := value.Send(d.c, b, worker, Tag)
	if errors.As(err, new(*mpi.LostError)) {
		return nil
	}
	return err
}

// A batch should take a worker so long that its messages cost little, and so short that all workers end at about the
// same time.
const (
	short   = 200 * time.Microsecond
	long    = 2 * time.Millisecond
	largest = 256
)

func (d *dealer[In, Out]) resize(worker, size int, took time.Duration) {
	switch {
	case took < short:
		d.sizes[worker] = min(2*d.sizes[worker], largest)
	case took > long:
		d.sizes[worker] = max(size/2, 1)
	}
}

// tell yields the results of a batch.
func (d *dealer[In, Out]) tell(b batch[In], r reply[Out]) {
	outputs := r.Outputs
	for i := range b.Inputs {
		if d.left {
			return
		}
		result := Result[Out]{Index: b.First + i}
		var err error
		if text, failed := r.Errors[i]; failed {
			err = &TaskError{result.Index, errors.New(text)}
		} else if len(outputs) > 0 {
			result.Value, outputs = outputs[0], outputs[1:]
		}
		d.left = !d.yield(result, err)
	}
}

// mourn deals the batches of workers that have failed again. It acknowledges what it knows: the next receive from any
// source fails only if one more has failed. cause is what it returns if none has.
func (d *dealer[In, Out]) mourn(cause error) error {
	failed := d.c.Failed()
	all := make([]int, failed.Size())
	for i := range all {
		all[i] = i
	}
	workers, err := failed.TranslateRanks(all, d.c.Group())
	if err != nil || len(workers) == d.failed {
		return errors.Join(cause, err)
	}
	for _, worker := range workers[d.failed:] {
		if j := d.doing[worker]; j != nil {
			delete(d.doing, worker)
			d.back(j.batch)
		}
		for i, idle := range d.idle {
			if idle == worker {
				d.idle = append(d.idle[:i], d.idle[i+1:]...)
				break
			}
		}
	}
	d.failed = len(workers)
	d.c.Acknowledge(d.failed)
	return nil
}
