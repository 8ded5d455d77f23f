package capi

import "github.com/gopvas/gopvas/internal/msg/comm"

// probing checks the arguments of a probe, and returns what the packages below want.
func (p *Process) probing(source, tag int, c Comm) (on *communicator, from, with int, err error) {
	if on, err = p.comm(c); err == nil {
		with, err = recvTag(tag)
	}
	if err == nil {
		from, err = sourceIn(source)
	}
	return on, from, with, err
}

// Probe is MPI_Probe.
func (p *Process) Probe(source, tag int, c Comm, status Status) error {
	on, from, with, err := p.probing(source, tag, c)
	if err != nil {
		return err
	}
	st, err := comm.Probe(on.c, from, with)
	if err == nil {
		status.set(&st)
	}
	return err
}

// Iprobe is MPI_Iprobe.
func (p *Process) Iprobe(source, tag int, c Comm, flag Ref, status Status) error {
	on, from, with, err := p.probing(source, tag, c)
	if err != nil {
		return err
	}
	st, ok, err := comm.Iprobe(on.c, from, with)
	if flag.SetBool(ok); ok {
		status.set(&st)
	}
	return err
}

// Mprobe is MPI_Mprobe.
func (p *Process) Mprobe(source, tag int, c Comm, out Ptr[Message], status Status) error {
	on, from, with, err := p.probing(source, tag, c)
	if err != nil {
		return err
	}
	found, st, err := comm.Mprobe(on.c, from, with)
	if err == nil {
		p.found(found, st, on, out, status)
	}
	return err
}

// Improbe is MPI_Improbe.
func (p *Process) Improbe(source, tag int, c Comm, flag Ref, out Ptr[Message], status Status) error {
	on, from, with, err := p.probing(source, tag, c)
	if err != nil {
		return err
	}
	found, st, ok, err := comm.Improbe(on.c, from, with)
	if flag.SetBool(ok); ok {
		p.found(found, st, on, out, status)
	}
	return err
}

// matched is what a handle of a message stands for.
type matched struct {
	m  comm.Message
	on *communicator
}

// found gives a message a handle.
func (p *Process) found(m comm.Message, st comm.Status, on *communicator, out Ptr[Message], status Status) {
	status.set(&st)
	if st.Source == comm.ProcNull {
		out.Set(MESSAGE_NO_PROC)
		return
	}
	out.Set(Message(p.messages.add(&matched{m, on})))
}

// take returns the message of a handle, which is null afterwards; nil for that of nobody.
func (p *Process) take(h Ptr[Message]) (*matched, error) {
	was := h.Get()
	var m *matched
	if was != MESSAGE_NO_PROC {
		if m = p.messages.remove(uintptr(was)); m == nil {
			return nil, wrongHandle(kindMessage, uintptr(was))
		}
	}
	h.Set(MESSAGE_NULL)
	return m, nil
}

// Mrecv is MPI_Mrecv.
func (p *Process) Mrecv(buf Address, count int, t Type, h Ptr[Message], status Status) error {
	var in message
	if err := p.locate(&in, buf, count, t); err != nil {
		return err
	}
	m, err := p.take(h)
	switch {
	case err != nil:
		return err
	case m == nil:
		status.SetMessage(PROC_NULL, ANY_TAG, 0, false)
		return nil
	}
	st, err := comm.Mrecv(&m.m, in.buf, in.of)
	status.set(&st)
	if err != nil {
		return located{err, m.on}
	}
	return nil
}

// Imrecv is MPI_Imrecv.
func (p *Process) Imrecv(buf Address, count int, t Type, h Ptr[Message], r Ptr[Request]) error {
	var in message
	if err := p.locate(&in, buf, count, t); err != nil {
		return err
	}
	m, err := p.take(h)
	if err != nil {
		return err
	}
	if m == nil {
		recv, err := comm.Irecv(p.world.c, nil, 1, comm.ProcNull, comm.AnyTag)
		return p.begin(recv, err, p.world, r)
	}
	recv, err := comm.Imrecv(&m.m, in.buf, in.of)
	return p.begin(recv, err, m.on, r)
}
