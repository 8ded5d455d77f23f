package capi

// Status is an MPI_Status of the program, or nowhere (MPI_STATUS_IGNORE). statusWords is what the program has there.
type Status struct{ addr uintptr }

// Ignored tells whether the program does not want the status.
func (s Status) Ignored() bool { return s.addr <= statusIgnore }

// SetMessage writes everything but MPI_ERROR, which only calls that complete several
// operations write. An ignored status stays so.
func (s Status) SetMessage(source, tag, bytes int, cancelled bool) {
	if s.Ignored() {
		return
	}
	s.words().set(source, tag, bytes, cancelled)
}

// Source is MPI_SOURCE.
func (s Status) Source() int { return int(s.words().source) }

// SetSource writes MPI_SOURCE.
func (s Status) SetSource(v int) { s.words().source = int32(v) }

// Tag is MPI_TAG.
func (s Status) Tag() int { return int(s.words().tag) }

// SetTag writes MPI_TAG.
func (s Status) SetTag(v int) { s.words().tag = int32(v) }

// Error is MPI_ERROR.
func (s Status) Error() int { return int(s.words().class) }

// SetError writes MPI_ERROR.
func (s Status) SetError(class int) {
	if !s.Ignored() {
		s.words().class = int32(class)
	}
}

// Bytes is the length of the message.
func (s Status) Bytes() int { return s.words().length() }

// SetBytes writes the length of the message.
func (s Status) SetBytes(n int) { s.words().setLength(n) }

// Cancelled tells whether the operation was cancelled.
func (s Status) Cancelled() bool { return s.words().cancelled() }

// SetCancelled writes whether the operation was cancelled.
func (s Status) SetCancelled(v bool) { s.words().setCancelled(v) }

// The memory of a Status, statusWords, is one or the other by the face. To write it at once takes a fraction of the
// time of as many single words.

// plainStatus has the first 24 bytes of a status of the standard ABI, and of Open MPI.
type plainStatus struct {
	source, tag, class int32
	isCancelled        int32 // 1 if the operation was cancelled
	bytes              int64 // the length of the message
}

func (w *plainStatus) set(source, tag, bytes int, cancelled bool) {
	w.source, w.tag, w.bytes, w.isCancelled = int32(source), int32(tag), int64(bytes), 0
	if cancelled {
		w.isCancelled = 1
	}
}

func (w *plainStatus) length() int     { return int(w.bytes) }
func (w *plainStatus) setLength(n int) { w.bytes = int64(n) }
func (w *plainStatus) cancelled() bool { return w.isCancelled != 0 }
func (w *plainStatus) setCancelled(v bool) {
	w.isCancelled = int32(boolInt(v))
}

// packedStatus is a status of MPICH. The length of the message has 63 bits: the upper 31 stand above a bit that tells
// whether the operation was cancelled.
type packedStatus struct {
	low, high          uint32
	source, tag, class int32
}

func (w *packedStatus) set(source, tag, bytes int, cancelled bool) {
	w.low, w.high, w.source, w.tag = uint32(bytes), uint32(bytes>>32)<<1, int32(source), int32(tag)
	if cancelled {
		w.high |= 1
	}
}

func (w *packedStatus) length() int     { return int(w.high>>1)<<32 | int(w.low) }
func (w *packedStatus) setLength(n int) { w.low, w.high = uint32(n), uint32(n>>32)<<1|w.high&1 }
func (w *packedStatus) cancelled() bool { return w.high&1 != 0 }
func (w *packedStatus) setCancelled(v bool) {
	w.high = w.high&^1 | uint32(boolInt(v))
}

// Statuses is an array of statuses, or nowhere (MPI_STATUSES_IGNORE).
type Statuses struct{ addr uintptr }

// At is status i of the array.
func (a Statuses) At(i int) Status {
	if a.addr <= statusIgnore {
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
