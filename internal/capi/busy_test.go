package capi

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// Two threads wait for one request, which MPI forbids. One of them gets an error, and its handle stays.
func TestWaitOfTwoThreads(t *testing.T) {
	onRanks(t, 1, func(c *rank) {
		for name, wait := range map[string]func(r, other uintptr) error{
			"wait":    func(r, status uintptr) error { return c.p.Wait(Ptr[Request]{r}, Status{status}) },
			"waitall": func(r, other uintptr) error { return c.p.Waitall(1, Handles[Request]{r}, Statuses{}) },
			"waitany": func(r, other uintptr) error {
				return c.p.Waitany(1, Handles[Request]{r}, Ref{addr: other}, Status{})
			},
			"waitsome": func(r, other uintptr) error {
				return c.p.Waitsome(1, Handles[Request]{r}, Ref{addr: other}, Ints{addr: other}, Statuses{})
			},
		} {
			for _, persistent := range []bool{false, true} {
				begin, message := make([]Request, 1), make([]int32, 1)
				if persistent {
					c.call("MPI_Recv_init", message, 1, INT, 0, 5, COMM_SELF, begin)
					c.call("MPI_Start", begin)
				} else {
					c.call("MPI_Irecv", message, 1, INT, 0, 5, COMM_SELF, begin)
				}
				type end struct {
					handles []Request
					err     error
				}
				ends := make(chan end, 2)
				for range 2 {
					handles, other := slices.Clone(begin), make([]int32, 8)
					at, also := address(c.program, handles), address(c.program, other)
					go func() { err := wait(at, also); ends <- end{handles, err} }()
				}
				first := <-ends
				require.Error(c, first.err, name)
				require.Equal(c, begin, first.handles, name)
				c.call("MPI_Send", message, 1, INT, 0, 5, COMM_SELF)
				second := <-ends
				require.NoError(c, second.err, name)
				if persistent {
					require.Equal(c, begin, second.handles, name)
					c.call("MPI_Request_free", begin)
				} else {
					require.Equal(c, []Request{REQUEST_NULL}, second.handles, name)
				}
			}
		}
	})
}

// A thread waits for requests that are over, while another one begins and ends requests at the same places.
func TestStaleHandlesOfAnotherThread(t *testing.T) {
	onRanks(t, 1, func(c *rank) {
		message := make([]int32, 1)
		begin := func() []Request {
			handle := make([]Request, 1)
			c.call("MPI_Irecv", message, 1, INT, 0, 5, COMM_SELF, handle)
			return handle
		}
		end := func(handle []Request) {
			c.call("MPI_Cancel", handle)
			c.call("MPI_Wait", handle, make([]int32, 8))
		}
		stale := begin()
		end(slices.Clone(stale))
		at := address(c.program, stale)
		stop, errs := make(chan struct{}), make(chan error, 1)
		go func() {
			for {
				err := c.p.Wait(Ptr[Request]{at}, Status{})
				if err == nil {
					err = c.p.Waitall(1, Handles[Request]{at}, Statuses{})
				}
				select {
				case <-stop:
					errs <- err
					return
				default:
				}
				if err == nil {
					errs <- nil
					return
				}
			}
		}()
		for range 1<<useBits - 2 { // then it is a handle again
			handle := begin()
			require.NotEqual(c, stale, handle)
			end(handle)
		}
		close(stop)
		require.Error(c, <-errs, "it stands for nothing")
	})
}
