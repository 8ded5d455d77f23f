package capi

// The parts of a status: section 3.2.5 of MPI 5.0.

// Status_get_source is MPI_Status_get_source.
func (p *Process) Status_get_source(s Status, source Ref) error {
	return told(s, source, Status.Source)
}

// Status_get_tag is MPI_Status_get_tag.
func (p *Process) Status_get_tag(s Status, tag Ref) error { return told(s, tag, Status.Tag) }

// Status_get_error is MPI_Status_get_error.
func (p *Process) Status_get_error(s Status, code Ref) error { return told(s, code, Status.Error) }

// Test_cancelled is MPI_Test_cancelled.
func (p *Process) Test_cancelled(s Status, flag Ref) error {
	if err := given(s); err != nil {
		return err
	}
	flag.SetBool(s.Cancelled())
	return nil
}

// Status_set_source is MPI_Status_set_source.
func (p *Process) Status_set_source(s Status, source int) error {
	return changed(s, source, Status.SetSource)
}

// Status_set_tag is MPI_Status_set_tag.
func (p *Process) Status_set_tag(s Status, tag int) error { return changed(s, tag, Status.SetTag) }

// Status_set_error is MPI_Status_set_error.
func (p *Process) Status_set_error(s Status, code int) error {
	return changed(s, code, Status.SetError)
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
