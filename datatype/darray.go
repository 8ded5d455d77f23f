package datatype

import "slices"

// Distribution says how a dimension of a global array is spread over the processes.
type Distribution int64

const (
	DistributeNone   Distribution = iota // one process has it all
	DistributeBlock                      // each has one block
	DistributeCyclic                     // blocks are dealt out in turn
)

// DistributeDefault lets Darray choose the size of blocks: as even as can be for
// DistributeBlock, 1 for DistributeCyclic.
const DistributeDefault = -1

// Darray makes the part of process rank in a global array of old that is spread over a grid
// of size processes, psizes[d] in dimension d. Ranks are ordered in the grid with the last
// dimension running fastest, for any order of the array. dargs[d] is the size of blocks, or
// DistributeDefault. The extent is that of the global array.
func Darray(size, rank int64, gsizes []int64, distribs []Distribution, dargs, psizes []int64, order Order,
	old *Type) (*Type, error) {
	c := Contents{Combiner: CombinerDarray, Types: []*Type{old}}
	c.Integers = append(c.Integers, size, rank, int64(len(gsizes)))
	c.Integers = append(c.Integers, gsizes...)
	for _, d := range distribs {
		c.Integers = append(c.Integers, int64(d))
	}
	c.Integers = slices.Concat(c.Integers, dargs, psizes, []int64{int64(order)})
	if err := c.check(); err != nil {
		return nil, err
	}
	if n := len(gsizes); n == 0 || len(distribs) != n || len(dargs) != n || len(psizes) != n {
		return nil, failed(c.Combiner, wrong("%d gsizes, %d distribs, %d dargs and %d psizes",
			n, len(distribs), len(dargs), len(psizes)))
	}
	if order != OrderC && order != OrderFortran {
		return nil, failed(c.Combiner, wrong("order %d", order))
	}
	coordinates, err := gridCoordinates(size, rank, psizes)
	if err != nil {
		return nil, failed(c.Combiner, err)
	}
	var x exact
	part, stride := old.body, old.extent
	for _, d := range order.fastestFirst(len(gsizes)) {
		dim := dimension{gsizes[d], distribs[d], dargs[d], psizes[d], coordinates[d]}
		if err := dim.setBlock(&x); err != nil {
			return nil, failed(c.Combiner, err)
		}
		part = dim.part(&x, part, stride)
		stride = x.mul(stride, gsizes[d])
	}
	return finish(&x, part.bounded(0, stride), c)
}

// gridCoordinates finds a rank in the grid.
func gridCoordinates(size, rank int64, psizes []int64) ([]int64, error) {
	var x exact
	product := int64(1)
	for d, p := range psizes {
		if p < 1 {
			return nil, wrong("%d processes in dimension %d", p, d)
		}
		product = x.mul(product, p)
	}
	if x.overflow || product != size || rank < 0 || rank >= size {
		return nil, wrong("rank %d of %d processes in a grid %v", rank, size, psizes)
	}
	at := make([]int64, len(psizes))
	for d := len(psizes) - 1; d >= 0; d-- {
		at[d] = rank % psizes[d]
		rank /= psizes[d]
	}
	return at, nil
}

// dimension is one of a distributed array, seen by one process.
type dimension struct {
	global       int64
	distribution Distribution
	block        int64 // elements in a block
	processes    int64
	coordinate   int64
}

// setBlock checks the dimension and finds the size of its blocks.
func (d *dimension) setBlock(x *exact) error {
	byDefault := d.block == DistributeDefault
	switch {
	case d.global < 1:
		return wrong("a global size of %d", d.global)
	case d.distribution == DistributeNone:
		if d.processes != 1 {
			return wrong("%d processes in a dimension that is not distributed", d.processes)
		}
		d.block = d.global
		return nil
	case d.distribution != DistributeBlock && d.distribution != DistributeCyclic:
		return wrong("distribution %d", d.distribution)
	case !byDefault && d.block < 1:
		return wrong("blocks of %d elements", d.block)
	case d.distribution == DistributeCyclic && byDefault:
		d.block = 1
	case byDefault:
		d.block = (d.global-1)/d.processes + 1
	case d.distribution == DistributeBlock && (d.global-1)/d.processes+1 > d.block:
		return wrong("%d blocks of %d elements for %d", d.processes, d.block, d.global)
	}
	d.block = min(d.block, d.global) // more changes nothing
	return nil
}

// part makes the blocks of this process; inner is what an index of this dimension stands
// for, stride the distance from index to index.
func (d *dimension) part(x *exact, inner body, stride int64) body {
	first, round := x.mul(d.coordinate, d.block), x.mul(d.processes, d.block)
	if x.overflow || first >= d.global {
		return emptyBody()
	}
	full := (d.global - first) / round // rounds in which all processes have a whole block
	rest := d.global - first - full*round
	if rest >= d.block {
		full, rest = full+1, 0
	}
	all := newJoiner(x)
	block := repeat(x, inner, d.block, stride)
	all.add(x.mul(first, stride), repeat(x, block, full, x.mul(round, stride)))
	if rest > 0 {
		all.add(x.mul(first+full*round, stride), repeat(x, inner, rest, stride))
	}
	return all.done()
}
