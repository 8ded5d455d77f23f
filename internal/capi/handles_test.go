package capi

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/test/testkit"
)

func TestHandlesAreFoundUntilTheyAreFreed(t *testing.T) {
	objects := tableOf[int](kindType)
	var handles []uintptr
	for i := range 1000 {
		handles = append(handles, objects.add(&i))
	}
	for i, h := range handles {
		require.Equal(t, i, *objects.get(h))
		require.GreaterOrEqual(t, h, uintptr(0x400))
		require.Less(t, h, uintptr(1<<31))
	}
	require.Equal(t, 7, *objects.remove(handles[7]))
	require.Nil(t, objects.get(handles[7]))
	require.Nil(t, objects.remove(handles[7]), "freed twice")
	again := objects.add(new(int))
	require.NotEqual(t, handles[7], again, "a freed handle must not come back at once")
	require.Equal(t, placeOf(handles[7]), placeOf(again))
	require.Nil(t, objects.get(handles[7]))
}

// Threads add and remove objects of one table while others look up theirs, and handles that may have been freed. An
// object that two threads remove is removed by one.
func TestHandlesOfThreads(t *testing.T) {
	const threads, rounds, most = 4, 100, 100
	objects := tableOf[int](kindType)
	var shown [threads]atomic.Uintptr // a handle of each thread, which may be freed at any time
	r := testkit.Rand(t)
	var all sync.WaitGroup
	for thread := range threads {
		r := rand.New(rand.NewPCG(r.Uint64(), 0))
		all.Go(func() {
			own := map[uintptr]int{}
			for range rounds {
				for range r.IntN(most) {
					value := r.Int()
					own[objects.add(&value)] = value
				}
				for h, value := range own {
					shown[thread].Store(h)
					if at := objects.get(shown[r.IntN(threads)].Load()); at != nil {
						_ = *at
					}
					if at := objects.get(h); at == nil || *at != value {
						t.Errorf("%#x is not %d any more", h, value)
						return
					}
					if r.IntN(2) == 0 {
						continue
					}
					delete(own, h)
					if at := objects.remove(h); at == nil || *at != value {
						t.Errorf("%#x was removed by another thread", h)
						return
					}
				}
			}
			for h := range own {
				objects.remove(h)
			}
		})
	}
	all.Wait()
	require.Len(t, objects.free, objects.used, "all places are free")

	var handles []uintptr
	for range 10_000 {
		handles = append(handles, objects.add(new(int)))
	}
	var removed atomic.Int32
	for range threads {
		all.Go(func() {
			for _, h := range handles {
				if objects.remove(h) != nil {
					removed.Add(1)
				}
			}
		})
	}
	all.Wait()
	require.EqualValues(t, len(handles), removed.Load())
}

func TestWrongHandlesAreFoundOut(t *testing.T) {
	types, requests := tableOf[int](kindType), tableOf[int](kindRequest)
	h := types.add(new(int))
	requests.add(new(int))
	require.Nil(t, requests.get(h), "of another kind")
	for _, wrong := range []uintptr{0, 1, 0x101, 0x3ff, h + 1, h ^ 1<<25, ^uintptr(0), 1 << 40} {
		require.Nil(t, types.get(wrong), "%#x", wrong)
	}
}

func TestHandlesRunOut(t *testing.T) {
	objects := tableOf[int](kindRequest)
	object := new(int)
	n := 0
	for objects.add(object) != 0 {
		n++
	}
	require.Equal(t, 1<<placeBits-firstPlace, n)
	require.Zero(t, objects.add(object))
}

// The handle of a request differs each time its place is used, and is 0 if it would not fit.
func TestRequestHandles(t *testing.T) {
	for _, place := range []int{0, 1, 255, 1<<placeBits - firstPlace - 1} {
		h := requestHandle(place, 7)
		require.Equal(t, place, placeOf(uintptr(h)))
		require.NotEqual(t, h, requestHandle(place, 8))
		require.Less(t, uintptr(requestHandle(place, 1<<32-1)), uintptr(1)<<31, "fits into a Fortran INTEGER")
	}
	require.Zero(t, requestHandle(1<<placeBits-firstPlace, 0))
}

// Where a request gets no handle nothing is left of its operation: a receive takes no message, and
// the communicator of a persistent collective operation is freed.
func TestRequestsRunOut(t *testing.T) {
	testkit.OneGoroutine(t)
	onRanks(t, 1, func(c *rank) {
		request, number, there := make([]Request, 1), []int32{7}, []int32{0}
		var all []Request
		op, a := c.encode("MPI_Recv_init", []any{number, 1, INT, 0, 1, COMM_SELF, request})
		for {
			if _, err := c.p.rare(op, a, -1); err != nil {
				require.Equal(c, ERR_OTHER, classOf(err))
				break
			}
			all = append(all, request[0])
		}
		require.Greater(c, len(all), 1<<placeBits-1000)
		require.Equal(c, ERR_OTHER, c.try("MPI_Irecv", number, 1, INT, 0, 5, COMM_WORLD, request))
		c.call("MPI_Send", number, 1, INT, 0, 5, COMM_WORLD)
		c.call("MPI_Iprobe", 0, 5, COMM_WORLD, there, 0)
		require.Equal(c, []int32{1}, there)
		c.call("MPI_Recv", number, 1, INT, 0, 5, COMM_WORLD, 0)

		next := func() uint32 {
			own, err := c.p.world.c.Dup()
			require.NoError(c, err)
			defer func() { require.NoError(c, own.Free()) }()
			return own.ID()
		}
		first := next()
		for range 10 {
			require.Equal(c, ERR_OTHER, c.try("MPI_Barrier_init", COMM_WORLD, INFO_NULL, request))
		}
		require.LessOrEqual(c, next(), first+1)
		free := c.prepare("MPI_Request_free", request)
		for _, request[0] = range all {
			free()
		}
	})
}
