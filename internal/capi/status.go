package capi

// Status is an MPI_Status of the program, or nowhere (MPI_STATUS_IGNORE).
//
// Its first 24 bytes, as in statusWords: the ints MPI_SOURCE, MPI_TAG and MPI_ERROR; an int that is 1 if the operation
// was cancelled; the length of the message in bytes as 64 bits.
type Status struct{ addr uintptr }

const (
	statusTag       = 4
	statusError     = 8
	statusCancelled = 12
	statusBytes     = 16
)

// statusWords is the memory of a Status. To write it at once takes a fraction of the time of as many
// single words.
type statusWords struct {
	source, tag, class, cancelled int32
	bytes                         int64
}

// Ignored tells whether the program does not want the status.
func (s Status) Ignored() bool { return s.addr == 0 }

// SetMessage writes everything but MPI_ERROR, which only calls that complete several
// operations write. An ignored status stays so.
func (s Status) SetMessage(source, tag, bytes int, cancelled bool) {
	if s.Ignored() {
		return
	}
	s.words().set(source, tag, bytes, cancelled)
}

func (w *statusWords) set(source, tag, bytes int, cancelled bool) {
	w.source, w.tag, w.bytes, w.cancelled = int32(source), int32(tag), int64(bytes), 0
	if cancelled {
		w.cancelled = 1
	}
}

// Source is MPI_SOURCE.
func (s Status) Source() int { return loadInt(s.addr, false) }

// SetSource writes MPI_SOURCE.
func (s Status) SetSource(v int) { storeInt(s.addr, v, false) }

// Tag is MPI_TAG.
func (s Status) Tag() int { return loadInt(s.addr+statusTag, false) }

// SetTag writes MPI_TAG.
func (s Status) SetTag(v int) { storeInt(s.addr+statusTag, v, false) }

// Error is MPI_ERROR.
func (s Status) Error() int { return loadInt(s.addr+statusError, false) }

// SetError writes MPI_ERROR.
func (s Status) SetError(class int) {
	if !s.Ignored() {
		storeInt(s.addr+statusError, class, false)
	}
}

// Bytes is the length of the message.
func (s Status) Bytes() int { return loadInt(s.addr+statusBytes, true) }

// SetBytes writes the length of the message.
func (s Status) SetBytes(n int) { storeInt(s.addr+statusBytes, n, true) }

// Cancelled tells whether the operation was cancelled.
func (s Status) Cancelled() bool { return loadInt(s.addr+statusCancelled, false) != 0 }

// SetCancelled writes whether the operation was cancelled.
func (s Status) SetCancelled(v bool) { Ref{addr: s.addr + statusCancelled}.SetBool(v) }

// Statuses is an array of statuses, or nowhere (MPI_STATUSES_IGNORE).
type Statuses struct{ addr uintptr }

// At is status i of the array.
func (a Statuses) At(i int) Status {
	if a.addr == 0 {
		return Status{}
	}
	return Status{a.addr + uintptr(i)*statusSize}
}

// The parts of a status: section 3.2.5 of MPI 5.0.

// Test_cancelled is MPI_Test_cancelled.
func (p *Process) Test_cancelled(s Status, flag Ref) error {
	if err := given(s); err != nil {
		return err
	}
	flag.SetBool(s.Cancelled())
	return nil
}

// Status_set_cancelled is MPI_Status_set_cancelled.
func (p *Process) Status_set_cancelled(s Status, flag int) error {
	return changed(s, flag, func(s Status, v int) { s.SetCancelled(v != 0) })
}

// given is the error of a call that needs a status.
func given(s Status) error {
	if s.Ignored() {
		return fail(ERR_ARG, "the status is MPI_STATUS_IGNORE: the call needs one")
	}
	return nil
}

func told(s Status, to Ref, part func(Status) int) error {
	err := given(s)
	if err == nil {
		to.Set(part(s))
	}
	return err
}

func changed(s Status, v int, set func(Status, int)) error {
	err := given(s)
	if err == nil {
		set(s, v)
	}
	return err
}

// How many elements a message had: sections 3.2.5 and 5.1.11 of MPI 5.0.

// Get_count is MPI_Get_count.
func (p *Process) Get_count(status Status, o *typeObject, count Ref) error {
	n, size := status.Bytes(), int(o.Size())
	switch {
	case size == 0 && n == 0:
		count.Set(0)
	case size == 0 || n%size != 0:
		count.Set(UNDEFINED)
	default:
		count.SetCount(n / size)
	}
	return nil
}

// Get_elements is MPI_Get_elements.
func (p *Process) Get_elements(status Status, o *typeObject, count Ref) error {
	n, whole := o.Elements(int64(status.Bytes()))
	if whole {
		count.SetCount(int(n))
	} else {
		count.Set(UNDEFINED)
	}
	return nil
}

// Status_set_elements is MPI_Status_set_elements.
func (p *Process) Status_set_elements(status Status, o *typeObject, count int) error {
	if err := given(status); err != nil {
		return err
	}
	if count < 0 {
		return fail(ERR_COUNT, "the count is %d; it must not be negative", count)
	}
	status.SetBytes(int(o.ElementBytes(int64(count))))
	return nil
}
