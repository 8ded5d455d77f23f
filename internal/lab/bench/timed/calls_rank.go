package timed

import (
	"github.com/gopvas/gopvas/internal/lab/bench/rankside"
	"github.com/gopvas/gopvas/internal/msg/recorder"
	"github.com/gopvas/gopvas/mpi"
)

// How often each pattern of calls is repeated. A recorder estimates times of short messages
// by what it has learnt from one in 64, so these come more often.
const (
	callRounds    = 400
	messageRounds = 6000
)

// callsRank is the rank program of Calls. Messages go inline, eagerly and by rendezvous.
func callsRank([]string) {
	mpi.Run(func(world *mpi.Comm) error {
		const most = 100000
		out, in := rankside.Touched(most), rankside.Touched(most)
		for _, n := range []int{8, 64, 500, 2000, 12000, most} {
			r, rounds := &p2pRank{world: world, out: out[:n], in: in[:n]}, messageRounds
			if n > recorder.Short {
				rounds = callRounds
			}
			for _, pattern := range []func() error{r.pingPong, r.exchange, r.exchangeAll, r.pingPing} {
				if err := repeat(rounds, pattern); err != nil {
					return err
				}
			}
		}
		return repeatCollectives(world)
	})
}

func repeat(times int, pattern func() error) error {
	for range times {
		if err := pattern(); err != nil {
			return err
		}
	}
	return nil
}

// exchange sends while it receives.
func (r *p2pRank) exchange() error { return rankside.SendReceive(r.world, r.out, r.in) }

// exchangeAll begins both, and waits for both.
func (r *p2pRank) exchangeAll() error {
	peer := 1 - r.world.Rank()
	receive, err := mpi.Irecv(r.world, r.in, peer, rankside.DataTag)
	if err != nil {
		return err
	}
	send, err := mpi.Isend(r.world, r.out, peer, rankside.DataTag)
	if err != nil {
		return err
	}
	return mpi.WaitAll([]mpi.Request{receive, send}, nil)
}

// repeatCollectives makes the collective calls that programs make most.
func repeatCollectives(world *mpi.Comm) error {
	for _, n := range []int{1, 250} {
		out, in := make([]float64, 2*n), make([]float64, 2*n)
		for _, pattern := range []func() error{
			world.Barrier,
			func() error { return mpi.Bcast(world, out, 0) },
			func() error { return mpi.Reduce(world, out, in, mpi.Sum[float64](), 0) },
			func() error { return mpi.Allreduce(world, out, in, mpi.Sum[float64]()) },
			func() error { return mpi.Allgather(world, out[:n], in) },
			func() error { return mpi.Alltoall(world, out, in) },
		} {
			if err := repeat(callRounds, pattern); err != nil {
				return err
			}
		}
	}
	return nil
}
