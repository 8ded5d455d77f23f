package comm

import (
	"github.com/gopvas/gopvas/internal/msg/pml"
	"github.com/gopvas/gopvas/internal/node/job"
)

// Join makes one request of several operations that were begun on c: it is complete when
// all are, and has the status of the first. The requests stand for nothing afterwards.
//
// MPI 4.1 section 3.11 (MPI_Isendrecv).
func Join(c *Comm, reqs ...Request) (Request, error) {
	t := &joined{inside: c.engine.Inside(), status: pml.Status{Source: AnySource, Tag: AnyTag}}
	for i := range reqs {
		t.reqs = append(t.reqs, reqs[i].r)
		reqs[i] = Request{}
	}
	r, err := c.engine.Begin(t, c.context)
	r.Unit = c.unit(1)
	return Request{r}, Wrap("join", err)
}

// PrepareAnew makes a persistent request on c. Each start of it begins an operation by a
// function, and the request is complete when that operation is.
func PrepareAnew(c *Comm, start func() (Request, error)) (Request, error) {
	r, err := c.engine.Prepare(&joined{inside: c.engine.Inside(), start: start}, c.context)
	r.Unit = c.unit(1)
	return Request{r}, Wrap("prepare", err)
}

// joined is several operations as one task.
type joined struct {
	inside pml.Inside
	start  func() (Request, error) // begins the only operation; nil: they were begun
	reqs   []pml.Request
	done   int // number of requests, from the first on, that are complete
	status pml.Status
	err    error // the first one
}

func (*joined) Release() {}

// Describe tells the first of the requests that is not complete. The lock of the engine is held.
func (t *joined) Describe(w *job.Waiting) {
	if t.done < len(t.reqs) {
		t.reqs[t.done].Describe(w)
	}
}

func (t *joined) Status() pml.Status { return t.status }

// Start is called without the engine's lock.
func (t *joined) Start() error {
	if t.start == nil {
		return nil
	}
	r, err := t.start()
	t.reqs, t.done, t.err = append(t.reqs[:0], r.r), 0, nil
	return err
}

// Progress is called under the engine's lock.
func (t *joined) Progress() (bool, error) {
	for ; t.done < len(t.reqs); t.done++ {
		st, _, done, err := t.inside.Take(&t.reqs[t.done])
		if !done {
			return false, nil
		}
		if t.done == 0 {
			t.status = st
		}
		if t.err == nil {
			t.err = err
		}
	}
	return true, t.err
}
