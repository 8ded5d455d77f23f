// Samplesort sorts a file of 8-byte integers in place. Each rank sorts a part and shows samples of it. All choose the
// same splitters from the samples, and each gets what lies between two of them.
//
//	pvasrun -n 4 ./examples/gallery/samplesort FILE
package main

import (
	"errors"
	"slices"

	"github.com/gopvas/gopvas/examples/gallery/internal/args"
	"github.com/gopvas/gopvas/mpi"
)

func main() {
	name := args.Parse("FILE")[0]
	mpi.Run(func(world *mpi.Comm) error {
		file, err := mpi.OpenFile(world, name, mpi.FileReadWrite, nil)
		if err != nil {
			return err
		}
		size, err := file.Size()
		if err != nil || size%8 != 0 {
			return errors.Join(err, errors.New(name+" has less than 8 bytes of the last integer"))
		}
		first, end := world.Block(int(size/8), world.Rank())
		keys := make([]int64, end-first)
		if _, err := mpi.ReadFileAll(file, mpi.FileOffset(int64(8*first)), keys); err != nil {
			return err
		}
		if keys, err = sorted(world, keys); err != nil {
			return err
		}
		_, err = mpi.WriteFileAll(file, mpi.SharedFilePointer, keys) // in the order of the ranks
		return errors.Join(err, file.Close())
	})
}

func sorted(world *mpi.Comm, keys []int64) ([]int64, error) {
	slices.Sort(keys)
	samples, parts := make([]int64, min(world.Size(), len(keys))), make([][]int64, world.Size())
	for i := range samples {
		samples[i] = keys[i*len(keys)/len(samples)]
	}
	splitters, err := mpi.AllgatherFlat(world, samples)
	if err != nil {
		return nil, err
	}
	slices.Sort(splitters)
	for i := range parts {
		end := len(keys)
		if next := (i + 1) * len(splitters) / len(parts); next < len(splitters) {
			end, _ = slices.BinarySearch(keys, splitters[next])
		}
		parts[i], keys = keys[:end], keys[end:]
	}
	all, err := mpi.AlltoallFlat(world, parts)
	slices.Sort(all)
	return all, err
}
