package file

import "github.com/gopvas/gopvas/internal/comm"

// split is a collective access in two calls: MPI 5.0 section 14.4.5. All of it is done by the first.
type split struct {
	write bool
	place pointer
	n     int
}

// Begin begins a collective access, and returns its number of bytes. The memory is the file's up to End.
func (f *File) Begin(write bool, place Place, b *comm.Buffer) (int, error) {
	n, err := f.all(write, place, b)
	if err != nil {
		return 0, f.wrap("begin to access", err)
	}
	f.mu.Lock()
	f.split = &split{write, place.pointer, n}
	f.mu.Unlock()
	return n, nil
}

// End ends the access that Begin with a place of the same kind has begun, and returns its number of bytes.
func (f *File) End(write bool, place Place) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.split
	if f.gone() || s == nil || s.write != write || s.place != place.pointer {
		return 0, f.wrap("end to access", ErrSplit)
	}
	f.split = nil
	return s.n, nil
}

// splitUnderWay tells whether a collective access has begun and not ended.
func (f *File) splitUnderWay() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.split != nil
}
