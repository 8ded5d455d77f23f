package capi

import "github.com/gopvas/gopvas/internal/msg/comm"

// perf is a performance variable: one of the numbers of pvasrun --stats.
type perf struct {
	name, desc string
	class      int
	value      func(*comm.Statistics) uint64
}

var performance = []perf{
	{"inline_messages", "messages sent in a slot of the receiver's mailbox", T_PVAR_CLASS_COUNTER,
		func(s *comm.Statistics) uint64 { return s.Inline.Messages }},
	{"inline_bytes", "their bytes", T_PVAR_CLASS_AGGREGATE, func(s *comm.Statistics) uint64 { return s.Inline.Bytes }},
	{"eager_messages", "messages sent through a buffer", T_PVAR_CLASS_COUNTER,
		func(s *comm.Statistics) uint64 { return s.Eager.Messages }},
	{"eager_bytes", "their bytes", T_PVAR_CLASS_AGGREGATE, func(s *comm.Statistics) uint64 { return s.Eager.Bytes }},
	{"rendezvous_messages", "messages that were announced first", T_PVAR_CLASS_COUNTER,
		func(s *comm.Statistics) uint64 { return s.Rendezvous.Messages }},
	{"rendezvous_bytes", "their bytes", T_PVAR_CLASS_AGGREGATE,
		func(s *comm.Statistics) uint64 { return s.Rendezvous.Bytes }},
	{"self_messages", "messages of this rank to itself", T_PVAR_CLASS_COUNTER,
		func(s *comm.Statistics) uint64 { return s.Self.Messages }},
	{"self_bytes", "their bytes", T_PVAR_CLASS_AGGREGATE, func(s *comm.Statistics) uint64 { return s.Self.Bytes }},
	{"direct_messages", "messages copied straight from the sender's memory", T_PVAR_CLASS_COUNTER,
		func(s *comm.Statistics) uint64 { return s.Direct.Messages }},
	{"direct_bytes", "their bytes", T_PVAR_CLASS_AGGREGATE, func(s *comm.Statistics) uint64 { return s.Direct.Bytes }},
	{"cma_messages", "messages copied by process_vm_readv", T_PVAR_CLASS_COUNTER,
		func(s *comm.Statistics) uint64 { return s.CMA.Messages }},
	{"cma_bytes", "their bytes", T_PVAR_CLASS_AGGREGATE, func(s *comm.Statistics) uint64 { return s.CMA.Bytes }},
	{"pipelined_messages", "messages received block by block", T_PVAR_CLASS_COUNTER,
		func(s *comm.Statistics) uint64 { return s.Pipelined.Messages }},
	{"pipelined_bytes", "their bytes", T_PVAR_CLASS_AGGREGATE,
		func(s *comm.Statistics) uint64 { return s.Pipelined.Bytes }},
	{"received_messages", "messages from other ranks", T_PVAR_CLASS_COUNTER,
		func(s *comm.Statistics) uint64 { return s.Received }},
	{"unexpected_messages", "messages that came before their receive", T_PVAR_CLASS_COUNTER,
		func(s *comm.Statistics) uint64 { return s.Unexpected }},
	{"unexpected_highest", "most such messages at one time since MPI_Init", T_PVAR_CLASS_HIGHWATERMARK,
		func(s *comm.Statistics) uint64 { return uint64(s.UnexpectedHigh) }},
	{"queued_messages", "sends that had to wait for room at the receiver", T_PVAR_CLASS_COUNTER,
		func(s *comm.Statistics) uint64 { return s.Queued }},
	{"sleeps", "times that this rank went to sleep", T_PVAR_CLASS_COUNTER,
		func(s *comm.Statistics) uint64 { return s.Sleeps }},
	{"wakes", "times that this rank woke another", T_PVAR_CLASS_COUNTER,
		func(s *comm.Statistics) uint64 { return s.Wakes }},
}

// continuous tells whether the variable cannot be started, stopped and reset.
func (v *perf) continuous() bool { return v.class == T_PVAR_CLASS_HIGHWATERMARK }

// now is the value since MPI_Init.
func (v *perf) now() uint64 {
	if world := comm.World(); world != nil {
		s := world.Stats()
		return v.value(&s)
	}
	return 0
}

// counter is what a handle of a performance variable stands for.
type counter struct {
	*perf
	of      *toolSession
	before  uint64 // counted up to the last stop
	since   uint64 // the value at the last start
	running bool
}

// toolSession is a session of performance variables.
type toolSession struct{ handles map[uintptr]*counter }

func (c *counter) read() uint64 {
	if c.running {
		return c.before + c.now() - c.since
	}
	return c.before
}

// set has the counter go on from a value.
func (c *counter) set(v uint64) error {
	if c.continuous() {
		return fail(T_ERR_PVAR_NO_WRITE, "%s can only be read", c.name)
	}
	c.before, c.since = v, c.now()
	return nil
}

// run starts or stops the counter.
func (c *counter) run(on bool) error {
	if c.continuous() {
		return fail(T_ERR_PVAR_NO_STARTSTOP, "%s always counts", c.name)
	}
	if on != c.running {
		c.before, c.since, c.running = c.read(), c.now(), on
	}
	return nil
}

// toolSession returns the session of a handle.
func (p *Process) toolSession(h T_pvar_session) (*toolSession, error) {
	if s := p.tool.sessions.get(uintptr(h)); s != nil {
		return s, nil
	}
	return nil, fail(T_ERR_INVALID_SESSION, "%#x is no session of performance variables", uintptr(h))
}

// counter returns what a handle in a session stands for.
func (p *Process) counter(session T_pvar_session, h T_pvar_handle) (*counter, error) {
	s, err := p.toolSession(session)
	if err != nil {
		return nil, err
	}
	if c := p.tool.counters.get(uintptr(h)); c != nil && c.of == s {
		return c, nil
	}
	return nil, fail(T_ERR_INVALID_HANDLE, "%#x is no handle of a performance variable in this session", uintptr(h))
}

// each calls f for a handle, or for all of the session that can be started and stopped.
func (p *Process) each(session T_pvar_session, h T_pvar_handle, f func(*counter) error) error {
	if h != T_PVAR_ALL_HANDLES {
		c, err := p.counter(session, h)
		if err != nil {
			return err
		}
		return f(c)
	}
	s, err := p.toolSession(session)
	if err != nil {
		return err
	}
	for _, c := range s.handles {
		if !c.continuous() {
			_ = f(c) // which fails for continuous ones only
		}
	}
	return nil
}

// T_pvar_get_info is MPI_T_pvar_get_info.
func (p *Process) T_pvar_get_info(i int, name OutString, nameLen, verbosity, class Ref,
	datatype Ptr[Type], enum WidePtr[T_enum],
	desc OutString, descLen, bind, readonly, continuous, atomic Ref) error {
	v, err := entryOf(performance, i)
	if err != nil {
		return err
	}
	name.tell(nameLen, v.name)
	desc.tell(descLen, v.desc)
	verbosity.tell(T_VERBOSITY_USER_BASIC)
	class.tell(v.class)
	tellType(datatype, UNSIGNED_LONG_LONG, enum)
	bind.tell(T_BIND_NO_OBJECT)
	readonly.tell(countIf(v.continuous(), 1))
	continuous.tell(countIf(v.continuous(), 1))
	atomic.tell(0)
	return nil
}

// T_pvar_get_index is MPI_T_pvar_get_index.
func (p *Process) T_pvar_get_index(name CString, class int, i Ref) error {
	return indexOf(performance, name, i, func(v *perf, name string) bool { return v.name == name && v.class == class })
}

// T_pvar_session_free is MPI_T_pvar_session_free. Its handles are freed with it.
func (p *Process) T_pvar_session_free(session WidePtr[T_pvar_session]) error {
	s, err := p.toolSession(session.Get())
	if err != nil {
		return err
	}
	for h := range s.handles {
		p.tool.counters.remove(h)
	}
	p.tool.sessions.remove(uintptr(session.Get()))
	session.Set(T_PVAR_SESSION_NULL)
	return nil
}

// T_pvar_handle_alloc is MPI_T_pvar_handle_alloc.
func (p *Process) T_pvar_handle_alloc(s *toolSession, i int, object Address, h WidePtr[T_pvar_handle],
	count Ref) error {
	v, err := entryOf(performance, i)
	if err != nil {
		return err
	}
	c := &counter{perf: v, of: s, running: v.continuous()}
	handle := p.tool.counters.add(c)
	s.handles[handle] = c
	h.Set(T_pvar_handle(handle))
	count.Set(1)
	return nil
}

// T_pvar_handle_free is MPI_T_pvar_handle_free.
func (p *Process) T_pvar_handle_free(session T_pvar_session, h WidePtr[T_pvar_handle]) error {
	c, err := p.counter(session, h.Get())
	if err != nil {
		return err
	}
	delete(c.of.handles, uintptr(h.Get()))
	p.tool.counters.remove(uintptr(h.Get()))
	h.Set(T_PVAR_HANDLE_NULL)
	return nil
}

// T_pvar_start is MPI_T_pvar_start.
func (p *Process) T_pvar_start(session T_pvar_session, h T_pvar_handle) error {
	return p.each(session, h, func(c *counter) error { return c.run(true) })
}

// T_pvar_stop is MPI_T_pvar_stop.
func (p *Process) T_pvar_stop(session T_pvar_session, h T_pvar_handle) error {
	return p.each(session, h, func(c *counter) error { return c.run(false) })
}

// T_pvar_reset is MPI_T_pvar_reset.
func (p *Process) T_pvar_reset(session T_pvar_session, h T_pvar_handle) error {
	return p.each(session, h, func(c *counter) error { return c.set(0) })
}

// T_pvar_read is MPI_T_pvar_read.
func (p *Process) T_pvar_read(session T_pvar_session, h T_pvar_handle, at Address) error {
	c, err := p.counter(session, h)
	if err == nil {
		Ref{uintptr(at), true}.Set(int(c.read()))
	}
	return err
}

// T_pvar_readreset is MPI_T_pvar_readreset.
func (p *Process) T_pvar_readreset(session T_pvar_session, h T_pvar_handle, at Address) error {
	if err := p.T_pvar_read(session, h, at); err != nil {
		return err
	}
	return p.T_pvar_reset(session, h)
}
