package capi

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
