package capi

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
	if count < 0 {
		return fail(ERR_COUNT, "the count is %d; it must not be negative", count)
	}
	status.SetBytes(int(o.ElementBytes(int64(count))))
	return nil
}
