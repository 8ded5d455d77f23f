package main

import "github.com/gopvas/gopvas/mpi"

// mismatches have all ranks call collective operations that do not fit: each waits for another one.
var mismatches = []testCase{
	{"bcast-roots", 2, func(w *mpi.Comm) error { return bcast(w, next(w)) }},
	{"bcast-roots-long", 3, func(w *mpi.Comm) error { return mpi.Bcast(w, make([]byte, bulky), next(w)) }},
	{"bcast-roots-3", 3, func(w *mpi.Comm) error { return bcast(w, next(w)) }},
	{"bcast-roots-4", 4, func(w *mpi.Comm) error { return bcast(w, next(w)) }},
	{"bcast-one-root", 4, func(w *mpi.Comm) error { return bcast(w, min(1, w.Rank())^1) }},
	{"reduce-one-root", 4, func(w *mpi.Comm) error { return reduce(w, min(1, w.Rank())) }},
	{"reduce-roots", 2, func(w *mpi.Comm) error { return reduce(w, w.Rank()) }},
	{"reduce-roots-3", 3, func(w *mpi.Comm) error { return reduce(w, w.Rank()) }},
	{"gather-roots", 2, func(w *mpi.Comm) error { return gather(w, w.Rank()) }},
	{"scatter-roots", 2, func(w *mpi.Comm) error { return scatter(w, next(w)) }},
	{"ibcast-roots", 2, func(w *mpi.Comm) error {
		r, err := mpi.Ibcast(w, make([]byte, bulky), next(w))
		if err == nil {
			_, err = r.Wait()
		}
		return err
	}},
	{"barrier-or-bcast", 3, first(func(w *mpi.Comm) error { return w.Barrier() },
		func(w *mpi.Comm) error { return bcast(w, 0) })},
	{"allreduce-or-alltoall", 2, first(allreduce, func(w *mpi.Comm) error {
		return mpi.Alltoall(w, make([]byte, 4*w.Size()), make([]byte, 4*w.Size()))
	})},
	{"reduce-or-bcast", 2, first(func(w *mpi.Comm) error { return reduce(w, 0) },
		func(w *mpi.Comm) error { return bcast(w, 0) })},
	{"barrier-or-long-bcast-beside-goroutines", 2, besideAnother(first(func(w *mpi.Comm) error { return w.Barrier() },
		func(w *mpi.Comm) error { return mpi.Bcast(w, make([]byte, bulky), 1) }))},
	{"barrier-or-allreduce-beside-goroutines", 3, besideAnother(first(
		func(w *mpi.Comm) error { return w.Barrier() },
		func(w *mpi.Comm) error {
			return mpi.Allreduce(w, make([]int64, bulky), make([]int64, bulky), mpi.Sum[int64]())
		}))},
}

// besideAnother runs a case beside a goroutine that could make calls, but cannot end the collective one.
func besideAnother(run func(w *mpi.Comm) error) func(w *mpi.Comm) error {
	return func(w *mpi.Comm) error {
		go func() { select {} }()
		return run(w)
	}
}

func bcast(w *mpi.Comm, root int) error { return mpi.Bcast(w, make([]byte, short), root) }

func reduce(w *mpi.Comm, root int) error {
	return mpi.Reduce(w, make([]int64, short), make([]int64, short), mpi.Sum[int64](), root)
}

func gather(w *mpi.Comm, root int) error {
	return mpi.Gather(w, make([]byte, short), make([]byte, short*w.Size()), root)
}

func scatter(w *mpi.Comm, root int) error {
	return mpi.Scatter(w, make([]byte, short*w.Size()), make([]byte, short), root)
}
