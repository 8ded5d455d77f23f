package rankside

import "github.com/gopvas/gopvas/mpi"

// A rank program can do nothing about an error but end with it. So its functions return none: the first one ends the
// program, from within Check, by way of Run.

// failure is what Check panics with, for Try.
type failure struct{ error }

// Check ends the function of Try, or the rank program of Run, if there is an error.
func Check(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// Value is what a call has returned, unless it has failed: see Check.
func Value[T any](v T, err error) T {
	Check(err)
	return v
}

// Try returns the error that has ended a function, on its own goroutine.
func Try(f func()) (err error) {
	defer func() {
		switch v := recover().(type) {
		case nil:
		case failure:
			err = v.error
		default:
			panic(v)
		}
	}()
	f()
	return nil
}

// Run is mpi.Run of a program that ends at the first error.
func Run(program func(world *mpi.Comm)) {
	mpi.Run(func(world *mpi.Comm) error { return Try(func() { program(world) }) })
}

// Test tells whether an operation is complete.
func Test(r *mpi.Request) bool {
	_, done, err := r.Test()
	Check(err)
	return done
}
