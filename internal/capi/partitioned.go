package capi

import (
	"sync/atomic"

	"github.com/gopvas/gopvas/internal/msg/comm"
)

// partitions are those of a partitioned message.
type partitions struct {
	send  *comm.Partitioned // nil: it is received
	ready []atomic.Bool     // which are marked as ready since the start
	count int
}

// unready is the first partition that is not ready, for the report of a hang.
func (p *partitions) unready() int {
	for i := range p.ready {
		if !p.ready[i].Load() {
			return i
		}
	}
	return 0 // the last has just become ready
}

// partitionedBuffer is the memory of partitions of count elements each.
func (p *Process) partitionedBuffer(buf Address, n, count int, t Type, peer int) (comm.Buffer, error) {
	if n <= 0 {
		return comm.Buffer{}, fail(ERR_ARG, "%d partitions: at least one is needed", n)
	}
	if peer == PROC_NULL {
		return comm.Buffer{}, nil
	}
	all, err := product(n, count)
	if err != nil {
		return comm.Buffer{}, err
	}
	return p.buffer(buf, all, t)
}

// Psend_init is MPI_Psend_init.
func (p *Process) Psend_init(buf Address, n, count int, t Type, dest, tag int, on *communicator, info Info,
	out Ptr[Request]) error {
	tag, err := sendTag(tag)
	if err != nil {
		return err
	}
	peer, err := peerIn(dest)
	if err != nil {
		return err
	}
	b, err := p.partitionedBuffer(buf, n, count, t, dest)
	if err != nil {
		return err
	}
	send, err := comm.NewPartitioned(on.c, b, peer, tag)
	if err != nil {
		return err
	}
	parts := &partitions{send: send, ready: make([]atomic.Bool, n), count: n}
	send.Unready = parts.unready
	r, err := comm.PrepareAnew(on.c, func() (comm.Request, error) {
		for i := range parts.ready {
			parts.ready[i].Store(false)
		}
		return send.Begin(n)
	})
	if err != nil {
		return err
	}
	o, err := p.prepared(r, on, out)
	o.parts = parts
	return err
}

// Precv_init is MPI_Precv_init.
func (p *Process) Precv_init(buf Address, n, count int, t Type, source, tag int, on *communicator, info Info,
	out Ptr[Request]) error {
	tag, err := sendTag(tag)
	if err != nil {
		return err
	}
	peer, err := peerIn(source)
	if err != nil {
		return err
	}
	b, err := p.partitionedBuffer(buf, n, count, t, source)
	if err != nil {
		return err
	}
	r, err := comm.PartitionedRecvInit(on.c, b, peer, tag)
	if err != nil {
		return err
	}
	o, err := p.prepared(r, on, out)
	o.parts = &partitions{count: n}
	return err
}

// sending returns the partitions of a send that is underway.
func (p *Process) sending(r Request) (request, error) {
	q, err := p.request(r)
	switch {
	case err != nil:
		return q, err
	case q.partitions() == nil || q.parts.send == nil:
		return q, fail(ERR_REQUEST, "the request is no partitioned send")
	case q.idle():
		return q, fail(ERR_REQUEST, "the partitioned send is not started")
	}
	return q, nil
}

// ready marks the partitions from one to another.
func (p *Process) ready(r Request, first, last int) error {
	q, err := p.sending(r)
	if err != nil {
		return err
	}
	parts := q.parts
	for i := first; i <= last; i++ {
		if i < 0 || i >= parts.count {
			return located{fail(ERR_ARG, "partition %d is outside of 0..%d", i, parts.count-1), q.on}
		}
		if parts.ready[i].Swap(true) {
			return located{fail(ERR_ARG, "partition %d is ready already", i), q.on}
		}
		if err := parts.send.Ready(); err != nil {
			return located{err, q.on}
		}
	}
	return nil
}

// Pready_list is MPI_Pready_list.
func (p *Process) Pready_list(n int, list Ints, r Request) error {
	for i := range n {
		if err := p.ready(r, list.At(i), list.At(i)); err != nil {
			return err
		}
	}
	return nil
}

// Parrived is MPI_Parrived: partitions arrive together. Those of a null request have arrived (MPI 5.0 section 4.2.2).
func (p *Process) Parrived(r Request, partition int, flag Ref) error {
	q, err := p.request(r)
	switch {
	case err != nil:
		return err
	case q.owner == nil:
		flag.SetBool(true)
		return nil
	case q.partitions() == nil || q.parts.send != nil:
		return fail(ERR_REQUEST, "the request is no partitioned receive")
	case partition < 0 || partition >= q.parts.count:
		return located{fail(ERR_ARG, "partition %d is outside of 0..%d", partition, q.parts.count-1), q.on}
	}
	done, err := p.peek(q, Status{})
	flag.SetBool(done)
	return err
}
