package file

// split is a collective access in two calls: MPI 5.0 section 14.4.5. All of it is done by the first.
type split struct {
	write bool
	place pointer
}

// Begin begins a collective access, and returns its number of bytes. The memory is the file's up to End.
func (f *File) Begin(a *Access) (int, error) {
	n, err := f.doAll(a)
	if err != nil {
		return 0, f.wrap("begin to "+a.op(), err)
	}
	f.mu.Lock()
	f.split = &split{a.Write, a.Place.pointer}
	f.mu.Unlock()
	return n, nil
}

// End ends the access that Begin with a place of the same kind has begun.
func (f *File) End(write bool, place Place) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if s := f.split; f.gone() || s == nil || *s != (split{write, place.pointer}) {
		return f.wrap("end an access to", ErrNoSplit)
	}
	f.split = nil
	return nil
}

// splitError returns ErrSplit if a collective access has begun and not ended.
func (f *File) splitError() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.split != nil {
		return ErrSplit
	}
	return nil
}
