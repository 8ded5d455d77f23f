package mpi

import (
	"errors"

	"github.com/gopvas/gopvas/internal/msg/comm"
)

// afterLengths does the second operation of a call. It is refused if the first one has failed here.
func afterLengths(err error, k comm.Call) error {
	k.Args.Wrong = errors.Join(k.Args.Wrong, err)
	if second := k.Run(); err == nil {
		err = second
	}
	return err
}

// partLengths are those of parts.
func partLengths[T any](parts [][]T) []int {
	n := make([]int, len(parts))
	for i, part := range parts {
		n[i] = len(part)
	}
	return n
}

// concatenated is the elements of all parts, one part behind the other.
func concatenated[T any](parts [][]T) []T {
	all := make([]T, 0, total(partLengths(parts)))
	for _, part := range parts {
		all = append(all, part...)
	}
	return all
}

func total(counts []int) (sum int) {
	for _, n := range counts {
		sum += n
	}
	return sum
}

// flat is all, unless the call has failed or has no result here.
func flat[T any](all []T, counts []int, err error) ([]T, error) {
	if err != nil || counts == nil {
		return nil, err
	}
	return all, nil
}

// split divides all into parts of so many elements; none if the call has failed.
func split[T any](all []T, counts []int, err error) ([][]T, error) {
	if err != nil || counts == nil {
		return nil, err
	}
	parts := make([][]T, len(counts))
	for i, n := range counts {
		parts[i], all = all[:n:n], all[n:]
	}
	return parts, nil
}

// BcastAlloc returns the root's buf on all ranks; elsewhere buf is not used. On the root it is buf itself.
//
// MPI 4.1 section 6.4 (two of MPI_Bcast).
func BcastAlloc[T any](c *Comm, buf []T, root int) ([]T, error) {
	n, err := BcastOne(c, len(buf), root)
	if c.Rank() != root {
		buf = nil
		if err == nil {
			buf = make([]T, n)
		}
	}
	if err := afterLengths(err, bcastCall(c, buf, root)); err != nil {
		return nil, err
	}
	return buf, nil
}

// GatherAlloc returns on the root the part of each rank, and nil elsewhere.
//
// MPI 4.1 section 6.5 (MPI_Gather and MPI_Gatherv).
func GatherAlloc[T any](c *Comm, part []T, root int) ([][]T, error) {
	return split(gathered(c, part, root))
}

// GatherFlat is GatherAlloc of all parts in one slice.
//
// MPI 4.1 section 6.5 (MPI_Gather and MPI_Gatherv).
func GatherFlat[T any](c *Comm, part []T, root int) ([]T, error) {
	return flat(gathered(c, part, root))
}

// gathered and the like are the parts one behind the other, and their lengths.
func gathered[T any](c *Comm, part []T, root int) ([]T, []int, error) {
	counts, err := GatherOne(c, len(part), root)
	all := make([]T, total(counts))
	return all, counts, afterLengths(err, gathervCall(c, filled(part), all, counts, nil, root))
}

// ScatterAlloc returns on rank i part i of what the root has; elsewhere parts is not used.
//
// MPI 4.1 section 6.6 (MPI_Scatter and MPI_Scatterv).
func ScatterAlloc[T any](c *Comm, parts [][]T, root int) ([]T, error) {
	if c.Rank() != root {
		parts = nil
	}
	return scattered(c, concatenated(parts), partLengths(parts), root)
}

// ScatterFlat returns on rank i the part of the root's slice that Comm.Block says; elsewhere all is not used.
//
// MPI 4.1 section 6.6 (MPI_Scatter and MPI_Scatterv).
func ScatterFlat[T any](c *Comm, all []T, root int) ([]T, error) {
	counts := make([]int, c.Size())
	if c.Rank() != root {
		all, counts = nil, nil
	}
	for rank := range counts {
		first, end := c.Block(len(all), rank)
		counts[rank] = end - first
	}
	return scattered(c, filled(all), counts, root)
}

func scattered[T any](c *Comm, all []T, counts []int, root int) ([]T, error) {
	n, err := ScatterOne(c, counts, root)
	part := make([]T, n)
	if err := afterLengths(err, scattervCall(c, all, counts, nil, part, root)); err != nil {
		return nil, err
	}
	return part, nil
}

// AllgatherAlloc returns the part of each rank.
//
// MPI 4.1 section 6.7 (MPI_Allgather and MPI_Allgatherv).
func AllgatherAlloc[T any](c *Comm, part []T) ([][]T, error) {
	return split(allgathered(c, part))
}

// AllgatherFlat is AllgatherAlloc of all parts in one slice.
//
// MPI 4.1 section 6.7 (MPI_Allgather and MPI_Allgatherv).
func AllgatherFlat[T any](c *Comm, part []T) ([]T, error) { return flat(allgathered(c, part)) }

func allgathered[T any](c *Comm, part []T) ([]T, []int, error) {
	counts, err := AllgatherOne(c, len(part))
	all := make([]T, total(counts))
	return all, counts, afterLengths(err, allgathervCall(c, filled(part), all, counts, nil))
}

// AlltoallAlloc sends part i of parts to rank i, and returns what each rank has sent to this one.
//
// MPI 4.1 section 6.8 (MPI_Alltoall and MPI_Alltoallv).
func AlltoallAlloc[T any](c *Comm, parts [][]T) ([][]T, error) {
	return split(exchanged(c, parts))
}

// AlltoallFlat is AlltoallAlloc of all parts in one slice, in the order of the ranks.
//
// MPI 4.1 section 6.8 (MPI_Alltoall and MPI_Alltoallv).
func AlltoallFlat[T any](c *Comm, parts [][]T) ([]T, error) { return flat(exchanged(c, parts)) }

func exchanged[T any](c *Comm, parts [][]T) ([]T, []int, error) {
	counts := make([]int, c.Size())
	sent := partLengths(parts)
	err := Alltoall(c, sent, counts)
	all := make([]T, total(counts))
	return all, counts, afterLengths(err, alltoallvCall(c, concatenated(parts), sent, nil, all, counts, nil))
}

// filled is part, which is not nil: nil stands for a call in place.
func filled[T any](part []T) []T {
	if part == nil {
		return []T{}
	}
	return part
}
