// Sums, run by a test of pvasrun, prints a digest of the bits that each rank has of reductions of its own numbers.
package main

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math/rand/v2"

	"github.com/gopvas/gopvas/mpi"
)

func main() { mpi.Run(run) }

func run(world *mpi.Comm) error {
	digest := fnv.New64a()
	random := rand.New(rand.NewPCG(1, uint64(world.Rank())))
	for _, n := range []int{1, 60, 1000, 20_000} {
		send, recv := make([]float64, n), make([]float64, n)
		for i := range send {
			send[i] = random.NormFloat64()
		}
		sum := mpi.Sum[float64]()
		for _, call := range []func() error{
			func() error { return mpi.Allreduce(world, send, recv, sum) },
			func() error { return mpi.Scan(world, send, recv, sum) },
			func() error { return mpi.Reduce(world, send, recv, sum, world.Size()-1) },
			func() error {
				r, err := mpi.Iallreduce(world, send, recv, sum)
				if err != nil {
					return err
				}
				_, err = r.Wait()
				return err
			},
		} {
			if err := cmp.Or(call(), binary.Write(digest, binary.LittleEndian, recv)); err != nil {
				return err
			}
		}
	}
	_, err := fmt.Printf("%d %x\n", world.Rank(), digest.Sum64())
	return err
}
