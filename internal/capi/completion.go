package capi

import (
	"slices"

	"github.com/gopvas/gopvas/internal/msg/comm"
)

// Calls that complete several requests.

// several are the requests of a call that has some.
type several struct {
	all   []request      // without an owner those that are null or not active
	inner []comm.Request // of those that are not complete from the beginning
}

// list returns the requests of handles. They are given back with p.lists.Put.
func (p *Process) list(n int, r Handles[Request]) (*several, error) {
	if n < 0 {
		return nil, fail(ERR_ARG, "%d requests", n)
	}
	l, _ := p.lists.Get().(*several)
	if l == nil {
		l = new(several)
	}
	l.all = slices.Grow(l.all[:0], n)[:n]
	for i := range l.all {
		q, err := p.request(r.At(i))
		if err != nil {
			p.lists.Put(l)
			return nil, err
		}
		if q.idle() {
			q = request{}
		}
		l.all[i] = q
	}
	return l, nil
}

// waitFirst blocks until one of the requests is complete, and returns its index;
// Undefined if there is none.
func (l *several) waitFirst() (i int, st comm.Status, err error) {
	l.inner = slices.Grow(l.inner[:0], len(l.all))[:len(l.all)]
	for i, q := range l.all {
		if q.owner == done {
			return i, comm.EmptyStatus(), nil
		}
		l.inner[i] = q.r
	}
	return comm.WaitAny(l.inner)
}

// Waitall is MPI_Waitall. Nothing is waited for if one of the handles is wrong.
func (p *Process) Waitall(n int, r Handles[Request], statuses Statuses) error {
	generalized, err := p.checkAll(n, r)
	if err != nil {
		return err
	}
	v := verdict{p: p, statuses: statuses}
	var one *comm.Waits
	if !generalized { // else the program is called between the waits
		one = new(comm.Waits)
		one.Begin(p.world.c)
		defer one.End()
	}
	all := r.slice(n)
	for i := 0; i < n; i++ {
		if v.failed == nil && one != nil {
			if i += awaitMessages(one, all[i:], statuses, i); i == n {
				break
			}
		}
		v.add(i, p.waitOther(one, r.ptr(i), statuses.At(i)))
	}
	return v.failed
}

// verdict is the error of a call with several statuses. The statuses have errors, each its own, if and only if one of
// the operations has failed: MPI 4.1 section 3.2.5.
type verdict struct {
	p        *Process
	statuses Statuses
	failed   error
}

// add notes the error of the operation that a status is of, nil if it has none. Those before it are noted.
func (v *verdict) add(i int, err error) {
	if err != nil && v.failed == nil {
		v.failed = v.p.inStatus(err)
		for k := range i {
			v.statuses.At(k).SetError(SUCCESS)
		}
	}
	if v.failed != nil {
		v.statuses.At(i).SetError(v.p.codeOf(err))
	}
}

// awaitMessages waits for requests, from the first on, as long as they are sends that were over at once, or
// messages that end without error. It returns how many were. Their statuses begin at an index.
func awaitMessages(one *comm.Waits, all []held, statuses Statuses, from int) (n int) {
	table, null := one.Messages(), shownNull()
	for i := range all {
		at, h := statuses.At(from+i).wanted(), all[i].request()
		if h == doneRequest {
			all[i] = null
			at.setSent()
			continue
		}
		op := table.Message(placeOf(uintptr(h)), uintptr(h))
		if op == nil || !one.Over(op, uintptr(h)) {
			return i
		}
		at.setTaken(op)
		one.Drop(op)
		all[i] = null
	}
	return len(all)
}

// checkAll returns an error if one of the handles is wrong. It tells whether one is that of a
// generalized request.
func (p *Process) checkAll(n int, r Handles[Request]) (generalized bool, err error) {
	if n < 0 {
		return false, fail(ERR_ARG, "%d requests", n)
	}
	table, null := comm.Messages(p.world.c), shownNull()
	for _, at := range r.slice(n) {
		h := at.request()
		if h == doneRequest || at == null || table.Message(placeOf(uintptr(h)), uintptr(h)) != nil {
			continue
		}
		o := comm.OwnerAt(p.world.c, placeOf(uintptr(h)), uintptr(h))
		if o == nil {
			return false, wrongHandle(kindRequest, uintptr(h))
		}
		generalized = generalized || (*o).(*owner).grequest != nil
	}
	return generalized, nil
}

// inStatuses is the error of a call whose statuses have the errors. An error handler gets the code of the first of
// them: MPI 5.0, section 9.3.1.
type inStatuses struct {
	err   *Error
	first int
}

func (e inStatuses) Error() string { return e.err.Error() }
func (e inStatuses) Unwrap() error { return e.err }

// inStatus is such an error, of the object that the first operation is on.
func (p *Process) inStatus(first error) error {
	var err error = inStatuses{&Error{Class: ERR_IN_STATUS, Text: first.Error()}, p.codeOf(first)}
	if l, ok := first.(located); ok {
		return located{err, l.on}
	}
	return err
}

// codeOf is the error code of an error in a status, which may be nil.
func (p *Process) codeOf(err error) int {
	if err == nil {
		return 0
	}
	code := classOf(err)
	p.codes.note(code, raised{site{call: "a request"}, err})
	return code
}

// Testall is MPI_Testall.
func (p *Process) Testall(n int, r Handles[Request], flag Ref, statuses Statuses) error {
	if n < 0 {
		return fail(ERR_ARG, "%d requests", n)
	}
	if over, known := p.allOver(r.slice(n)); known {
		if flag.SetBool(over); !over {
			return nil
		}
		return p.Waitall(n, r, statuses)
	}
	for i := range n {
		q, err := p.request(r.At(i))
		if err != nil {
			return err
		}
		if q.idle() {
			continue
		}
		if _, done, err := comm.Peek(&q.r); !done {
			if flag.SetBool(false); err != nil {
				err = located{err, q.on}
			}
			return err
		}
	}
	flag.SetBool(true)
	return p.Waitall(n, r, statuses)
}

// Waitany is MPI_Waitany.
func (p *Process) Waitany(n int, r Handles[Request], index Ref, status Status) error {
	l, err := p.list(n, r)
	if err != nil {
		return err
	}
	defer p.lists.Put(l)
	i, st, err := l.waitFirst()
	if i == comm.Undefined {
		index.Set(UNDEFINED)
		status.setEmpty()
		return err
	}
	h, err := p.finish(l.all[i], &st, err, status)
	r.Set(i, h)
	index.Set(i)
	return err
}

// anyOf tells of the first request that look says is complete.
func (p *Process) anyOf(n int, r Handles[Request], index, flag Ref, status Status,
	look func(i int, q request) (done bool, err error)) error {
	l, err := p.list(n, r)
	if err != nil {
		return err
	}
	defer p.lists.Put(l)
	active := false
	for i, q := range l.all {
		if q.owner == nil {
			continue
		}
		active = true
		if done, err := look(i, q); done || err != nil {
			index.Set(i)
			flag.SetBool(done)
			return err
		}
	}
	index.Set(UNDEFINED)
	if flag.SetBool(!active); !active {
		status.setEmpty()
	}
	return nil
}

// Testany is MPI_Testany.
func (p *Process) Testany(n int, r Handles[Request], index, flag Ref, status Status) error {
	if first, known := p.takeFirst(r.slice(n), status); known {
		if flag.SetBool(first >= 0); first < 0 {
			first = UNDEFINED
		}
		index.Set(first)
		return nil
	}
	return p.anyOf(n, r, index, flag, status, func(i int, q request) (bool, error) {
		return p.test(q, r.ptr(i), status)
	})
}

// Waitsome is MPI_Waitsome.
func (p *Process) Waitsome(n int, r Handles[Request], count Ref, indices Ints, statuses Statuses) error {
	l, err := p.list(n, r)
	if err != nil {
		return err
	}
	defer p.lists.Put(l)
	first, st, err := l.waitFirst()
	if first == comm.Undefined {
		count.Set(UNDEFINED)
		return err
	}
	s := some{verdict: verdict{p: p, statuses: statuses}, r: r, indices: indices}
	s.take(first, l.all[first], &st, err)
	s.rest(l.all, first+1)
	count.Set(s.n)
	return s.failed
}

// Testsome is MPI_Testsome.
func (p *Process) Testsome(n int, r Handles[Request], count Ref, indices Ints, statuses Statuses) error {
	if some, known := p.takeSome(r.slice(n), indices, statuses); known {
		count.Set(some)
		return nil
	}
	l, err := p.list(n, r)
	if err != nil {
		return err
	}
	defer p.lists.Put(l)
	s := some{verdict: verdict{p: p, statuses: statuses}, r: r, indices: indices}
	if !s.rest(l.all, 0) {
		count.Set(UNDEFINED)
		return nil
	}
	count.Set(s.n)
	return s.failed
}

// some are the requests that a call has found complete.
type some struct {
	verdict
	r       Handles[Request]
	indices Ints
	n       int
}

// take notes a complete request.
func (s *some) take(i int, q request, st *comm.Status, err error) {
	h, err := s.p.finish(q, st, err, s.statuses.At(s.n))
	s.r.Set(i, h)
	s.indices.Set(s.n, i)
	s.add(s.n, err)
	s.n++
}

// rest takes all that are complete from an index on, and tells whether there was any request.
func (s *some) rest(all []request, from int) (any bool) {
	for i := from; i < len(all); i++ {
		if q := all[i]; q.owner != nil {
			any = true
			if st, done, err := q.r.Test(); done {
				s.take(i, q, &st, err)
			} else if err != nil && (s.n == 0 || !pending(err)) {
				s.failed = located{err, q.on}
			}
		}
	}
	return any
}

// Request_get_status_all is MPI_Request_get_status_all.
func (p *Process) Request_get_status_all(n int, r Handles[Request], flag Ref, statuses Statuses) error {
	l, err := p.list(n, r)
	if err != nil {
		return err
	}
	defer p.lists.Put(l)
	for _, q := range l.all {
		if done, err := p.peek(q, Status{}); !done {
			flag.SetBool(false)
			return err
		}
	}
	v := verdict{p: p, statuses: statuses}
	for i, q := range l.all {
		_, err := p.peek(q, statuses.At(i))
		v.add(i, err)
	}
	flag.SetBool(true)
	return v.failed
}

// Request_get_status_any is MPI_Request_get_status_any.
func (p *Process) Request_get_status_any(n int, r Handles[Request], index, flag Ref, status Status) error {
	return p.anyOf(n, r, index, flag, status, func(_ int, q request) (bool, error) { return p.peek(q, status) })
}

// Request_get_status_some is MPI_Request_get_status_some.
func (p *Process) Request_get_status_some(n int, r Handles[Request], count Ref, indices Ints, statuses Statuses) error {
	l, err := p.list(n, r)
	if err != nil {
		return err
	}
	defer p.lists.Put(l)
	v, found, active := verdict{p: p, statuses: statuses}, 0, false
	for i, q := range l.all {
		if q.owner == nil {
			continue
		}
		active = true
		done, err := p.peek(q, statuses.At(found))
		if done {
			indices.Set(found, i)
			v.add(found, err)
			found++
		} else if err != nil {
			return err
		}
	}
	if !active {
		found = UNDEFINED
	}
	count.Set(found)
	return v.failed
}
