package mpi

import "slices"

// underway is a collective operation that can be done again and again, with other data in
// each round.
type underway struct {
	name           string
	begin, prepare func() (Request, error)
	fill           func(round int)
	check          func(round int) error
}

// nonblockingOps are all operations on a communicator, with n elements per rank where
// that is free.
func nonblockingOps(c *Comm, root, n int) []underway {
	return slices.Concat(nonblockingMoves(c, root, n), nonblockingAll(c, n), nonblockingReductions(c, root, n),
		nonblockingNeighbors(c, n), nonblockingViews(c, n))
}

// data is what a rank has for another in a round.
func data(round, from, to, n int) []int32 { return numbers(n, round*10_007+from*101+to) }

// blocksOf joins a block per rank.
func blocksOf(ranks int, block func(rank int) []int32) (all []int32) {
	for rank := range ranks {
		all = append(all, block(rank)...)
	}
	return all
}

// ragged is a length for each rank, some of them 0.
func ragged(ranks, n int) []int {
	return upTo(ranks, func(rank int) int { return (rank * 5 % 7) * n / 3 })
}

func nonblockingMoves(c *Comm, root, n int) []underway {
	size, me := c.Size(), c.Rank()
	buf, mine, all := make([]int32, n), make([]int32, n), make([]int32, n*size)
	counts := ragged(size, n)
	part := make([]int32, counts[me])
	laid := make([]int32, dense(counts)[size-1]+counts[size-1])
	whole := func(round int) []int32 { return blocksOf(size, func(r int) []int32 { return data(round, r, 0, n) }) }
	ragged := func(round int) []int32 {
		return blocksOf(size, func(r int) []int32 { return data(round, r, 1, counts[r]) })
	}
	atRoot := func(what string, have, want []int32) error {
		if me != root {
			return nil
		}
		return eq(what, have, want)
	}
	noise := func(int) { clear(all); clear(laid); clear(mine); clear(part) }
	return []underway{
		{"barrier", c.Ibarrier, c.BarrierInit, func(int) {}, func(int) error { return nil }},
		{"bcast",
			func() (Request, error) { return Ibcast(c, buf, root) },
			func() (Request, error) { return BcastInit(c, buf, root) },
			func(round int) { copy(buf, data(round, me, 0, n)) },
			func(round int) error { return eq("bcast", buf, data(round, root, 0, n)) }},
		{"gather",
			func() (Request, error) { return Igather(c, mine, all, root) },
			func() (Request, error) { return GatherInit(c, mine, all, root) },
			func(round int) { noise(round); copy(mine, data(round, me, 0, n)) },
			func(round int) error { return atRoot("gather", all, whole(round)) }},
		{"gatherv",
			func() (Request, error) { return Igatherv(c, part, laid, counts, nil, root) },
			func() (Request, error) { return GathervInit(c, part, laid, counts, nil, root) },
			func(round int) { noise(round); copy(part, data(round, me, 1, counts[me])) },
			func(round int) error { return atRoot("gatherv", laid, ragged(round)) }},
		{"scatter",
			func() (Request, error) { return Iscatter(c, all, mine, root) },
			func() (Request, error) { return ScatterInit(c, all, mine, root) },
			func(round int) { noise(round); copy(all, whole(round)) },
			func(round int) error { return eq("scatter", mine, data(round, me, 0, n)) }},
		{"scatterv",
			func() (Request, error) { return Iscatterv(c, laid, counts, nil, part, root) },
			func() (Request, error) { return ScattervInit(c, laid, counts, nil, part, root) },
			func(round int) { noise(round); copy(laid, ragged(round)) },
			func(round int) error { return eq("scatterv", part, data(round, me, 1, counts[me])) }},
	}
}

func nonblockingAll(c *Comm, n int) []underway {
	size, me := c.Size(), c.Rank()
	mine, send, recv := make([]int32, n), make([]int32, n*size), make([]int32, n*size)
	counts := ragged(size, n)
	part, laid := make([]int32, counts[me]), make([]int32, dense(counts)[size-1]+counts[size-1])
	blocks := func(round int) []int32 { return blocksOf(size, func(r int) []int32 { return data(round, r, me, n) }) }
	sends := upTo(size, func(r int) int { return me + 2*r })
	receives := upTo(size, func(r int) int { return r + 2*me })
	there := make([]int32, size*me+size*(size-1))
	here := make([]int32, size*(size-1)/2+2*me*size)
	return []underway{
		{"allgather",
			func() (Request, error) { return Iallgather(c, mine, recv) },
			func() (Request, error) { return AllgatherInit(c, mine, recv) },
			func(round int) { clear(recv); copy(mine, data(round, me, 0, n)) },
			func(round int) error {
				return eq("allgather", recv, blocksOf(size, func(r int) []int32 { return data(round, r, 0, n) }))
			}},
		{"allgatherv in place",
			func() (Request, error) { return Iallgatherv(c, nil, laid, counts, nil) },
			func() (Request, error) { return AllgathervInit(c, nil, laid, counts, nil) },
			func(round int) { clear(laid); copy(laid[dense(counts)[me]:], data(round, me, 0, counts[me])) },
			func(round int) error {
				return eq("allgatherv", laid,
					blocksOf(size, func(r int) []int32 { return data(round, r, 0, counts[r]) }))
			}},
		{"allgatherv",
			func() (Request, error) { return Iallgatherv(c, part, laid, counts, nil) },
			func() (Request, error) { return AllgathervInit(c, part, laid, counts, nil) },
			func(round int) { clear(laid); copy(part, data(round, me, 2, counts[me])) },
			func(round int) error {
				return eq("allgatherv", laid,
					blocksOf(size, func(r int) []int32 { return data(round, r, 2, counts[r]) }))
			}},
		{"alltoall",
			func() (Request, error) { return Ialltoall(c, send, recv) },
			func() (Request, error) { return AlltoallInit(c, send, recv) },
			func(round int) {
				clear(recv)
				copy(send, blocksOf(size, func(r int) []int32 { return data(round, me, r, n) }))
			},
			func(round int) error { return eq("alltoall", recv, blocks(round)) }},
		{"alltoall in place",
			func() (Request, error) { return Ialltoall(c, nil, recv) },
			func() (Request, error) { return AlltoallInit(c, nil, recv) },
			func(round int) { copy(recv, blocksOf(size, func(r int) []int32 { return data(round, me, r, n) })) },
			func(round int) error { return eq("alltoall", recv, blocks(round)) }},
		{"alltoallv",
			func() (Request, error) { return Ialltoallv(c, there, sends, nil, here, receives, nil) },
			func() (Request, error) { return AlltoallvInit(c, there, sends, nil, here, receives, nil) },
			func(round int) {
				clear(here)
				copy(there, blocksOf(size, func(r int) []int32 { return data(round, me, r, sends[r]) }))
			},
			func(round int) error {
				return eq("alltoallv", here,
					blocksOf(size, func(r int) []int32 { return data(round, r, me, receives[r]) }))
			}},
	}
}

// nonblockingReductions are those of an operator that is not commutative.
func nonblockingReductions(c *Comm, root, n int) []underway {
	size, me := c.Size(), c.Rank()
	of := func(round, rank, n int) []affine {
		return upTo(n, func(i int) affine { return affine{uint32(2*rank + 3 + round), uint32(rank + i)} })
	}
	joinedTo := func(round, ranks, n int) []affine {
		sum := of(round, 0, n)
		for rank := 1; rank < ranks; rank++ {
			for i, x := range of(round, rank, n) {
				sum[i] = joined(sum[i], x)
			}
		}
		return sum
	}
	counts := ragged(size, n)
	displs := dense(counts)
	total := displs[size-1] + counts[size-1]
	mine, result := make([]affine, n), make([]affine, n)
	wide, widest, part := make([]affine, n*size), make([]affine, total), make([]affine, max(n, counts[me]))
	fill := func(round int) { copy(mine, of(round, me, n)); clear(result) }
	fillWide := func(round int) {
		clear(part)
		copy(wide, of(round, me, n*size))
		copy(widest, of(round, me, total))
	}
	return []underway{
		{"reduce",
			func() (Request, error) { return Ireduce(c, mine, result, join2, root) },
			func() (Request, error) { return ReduceInit(c, mine, result, join2, root) },
			fill, func(round int) error {
				if me != root {
					return nil
				}
				return eq("reduce", result, joinedTo(round, size, n))
			}},
		{"allreduce",
			func() (Request, error) { return Iallreduce(c, mine, result, join2) },
			func() (Request, error) { return AllreduceInit(c, mine, result, join2) },
			fill, func(round int) error { return eq("allreduce", result, joinedTo(round, size, n)) }},
		{"allreduce in place",
			func() (Request, error) { return Iallreduce(c, nil, mine, join2) },
			func() (Request, error) { return AllreduceInit(c, nil, mine, join2) },
			fill, func(round int) error { return eq("allreduce", mine, joinedTo(round, size, n)) }},
		{"scan",
			func() (Request, error) { return Iscan(c, mine, result, join2) },
			func() (Request, error) { return ScanInit(c, mine, result, join2) },
			fill, func(round int) error { return eq("scan", result, joinedTo(round, me+1, n)) }},
		{"exscan in place",
			func() (Request, error) { return Iexscan(c, nil, mine, join2) },
			func() (Request, error) { return ExscanInit(c, nil, mine, join2) },
			fill, func(round int) error {
				if me == 0 {
					return eq("exscan", mine, of(round, 0, n))
				}
				return eq("exscan", mine, joinedTo(round, me, n))
			}},
		{"reduce_scatter_block",
			func() (Request, error) { return IreduceScatterBlock(c, wide, part[:n], join2) },
			func() (Request, error) { return ReduceScatterBlockInit(c, wide, part[:n], join2) },
			fillWide, func(round int) error {
				return eq("block", part[:n], joinedTo(round, size, n*size)[me*n:][:n])
			}},
		{"reduce_scatter in place",
			func() (Request, error) { return IreduceScatter(c, nil, widest, counts, join2) },
			func() (Request, error) { return ReduceScatterInit(c, nil, widest, counts, join2) },
			fillWide, func(round int) error {
				return eq("reduce_scatter", widest[:counts[me]], joinedTo(round, size, total)[displs[me]:][:counts[me]])
			}},
		{"reduce_scatter",
			func() (Request, error) { return IreduceScatter(c, widest, part[:counts[me]], counts, join2) },
			func() (Request, error) { return ReduceScatterInit(c, widest, part[:counts[me]], counts, join2) },
			fillWide, func(round int) error {
				return eq("reduce_scatter", part[:counts[me]], joinedTo(round, size, total)[displs[me]:][:counts[me]])
			}},
	}
}

// nonblockingNeighbors are those on a ring, if c is one.
func nonblockingNeighbors(c *Comm, n int) []underway {
	sources, _, err := c.NeighborRanks()
	if err != nil {
		return nil
	}
	me, left, right := c.Rank(), sources[0], sources[1]
	mine, send, recv := make([]int32, n), make([]int32, 2*n), make([]int32, 2*n)
	one := []int{n, n}
	sendAll := func(round int) { clear(recv); copy(mine, data(round, me, 0, n)) }
	gathered := func(round int) error {
		return eq("gathered", recv, slices.Concat(data(round, left, 0, n), data(round, right, 0, n)))
	}
	sendEach := func(round int) { clear(recv); copy(send, slices.Concat(data(round, me, 1, n), data(round, me, 2, n))) }
	exchanged := func(round int) error { // from the left what it sent to its right
		return eq("exchanged", recv, slices.Concat(data(round, left, 2, n), data(round, right, 1, n)))
	}
	return []underway{
		{"neighbor_allgather",
			func() (Request, error) { return IneighborAllgather(c, mine, recv) },
			func() (Request, error) { return NeighborAllgatherInit(c, mine, recv) }, sendAll, gathered},
		{"neighbor_allgatherv",
			func() (Request, error) { return IneighborAllgatherv(c, mine, recv, one, nil) },
			func() (Request, error) { return NeighborAllgathervInit(c, mine, recv, one, nil) }, sendAll, gathered},
		{"neighbor_alltoall",
			func() (Request, error) { return IneighborAlltoall(c, send, recv) },
			func() (Request, error) { return NeighborAlltoallInit(c, send, recv) }, sendEach, exchanged},
		{"neighbor_alltoallv",
			func() (Request, error) { return IneighborAlltoallv(c, send, one, nil, recv, one, nil) },
			func() (Request, error) {
				return NeighborAlltoallvInit(c, send, one, nil, recv, one, nil)
			}, sendEach, exchanged},
	}
}
