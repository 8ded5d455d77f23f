package datatype

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

// Dimension is one of a global array that is spread over a grid of processes.
type Dimension struct {
	Size      int64 // of the global array
	How       Distribution
	Block     int64 // elements in a block, or DistributeDefault
	Processes int64 // of the grid
}

// Darray makes the part of process rank in a global array of old that is spread over a grid
// of size processes. Ranks are ordered in the grid with the last dimension running fastest, for any order of the
// array. The extent is that of the global array.
func Darray(size, rank int64, dims []Dimension, order Order, old *Type) (*Type, error) {
	n := len(dims)
	columns := make([]int64, 4*n) // as MPI has them: each property of all dimensions
	for i, d := range dims {
		columns[i], columns[n+i], columns[2*n+i], columns[3*n+i] = d.Size, int64(d.How), d.Block, d.Processes
	}
	a := arguments{combiner: CombinerDarray, types: []*Type{old},
		integers: [5][]int64{{size, rank, int64(n)}, columns, {int64(order)}}}
	if err := a.check(); err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, failed(a.combiner, wrong("no dimension"))
	}
	if order != OrderC && order != OrderFortran {
		return nil, failed(a.combiner, wrong("order %d", order))
	}
	coordinates, err := gridCoordinates(size, rank, dims)
	if err != nil {
		return nil, failed(a.combiner, err)
	}
	var x exact
	part, stride := old.body, old.extent
	for _, d := range order.fastestFirst(n) {
		dim := dims[d]
		if err := dim.setBlock(); err != nil {
			return nil, failed(a.combiner, err)
		}
		part = dim.part(&x, coordinates[d], part, stride)
		stride = x.mul(stride, dim.Size)
	}
	return finish(&x, part.bounded(0, stride), &a)
}

// gridCoordinates finds a rank in the grid.
func gridCoordinates(size, rank int64, dims []Dimension) ([]int64, error) {
	var x exact
	product := int64(1)
	at := make([]int64, len(dims)) // first the processes of each dimension
	for d := range dims {
		if at[d] = dims[d].Processes; at[d] < 1 {
			return nil, wrong("%d processes in dimension %d", at[d], d)
		}
		product = x.mul(product, at[d])
	}
	if x.overflow || product != size || rank < 0 || rank >= size {
		return nil, wrong("rank %d of %d processes in a grid %v", rank, size, at)
	}
	for d := len(at) - 1; d >= 0; d-- {
		rank, at[d] = rank/at[d], rank%at[d]
	}
	return at, nil
}

// setBlock checks the dimension and finds the size of its blocks.
func (d *Dimension) setBlock() error {
	byDefault := d.Block == DistributeDefault
	switch {
	case d.Size < 1:
		return wrong("a global size of %d", d.Size)
	case d.How == DistributeNone:
		if d.Processes != 1 {
			return wrong("%d processes in a dimension that is not distributed", d.Processes)
		}
		d.Block = d.Size
		return nil
	case d.How != DistributeBlock && d.How != DistributeCyclic:
		return wrong("distribution %d", d.How)
	case !byDefault && d.Block < 1:
		return wrong("blocks of %d elements", d.Block)
	case d.How == DistributeCyclic && byDefault:
		d.Block = 1
	case byDefault:
		d.Block = (d.Size-1)/d.Processes + 1
	case d.How == DistributeBlock && (d.Size-1)/d.Processes+1 > d.Block:
		return wrong("%d blocks of %d elements for %d", d.Processes, d.Block, d.Size)
	}
	d.Block = min(d.Block, d.Size) // more changes nothing
	return nil
}

// part makes the blocks of a process; inner is what an index of this dimension stands
// for, stride the distance from index to index.
func (d *Dimension) part(x *exact, coordinate int64, inner body, stride int64) body {
	first, round := x.mul(coordinate, d.Block), x.mul(d.Processes, d.Block)
	if x.overflow || first >= d.Size {
		return emptyBody()
	}
	full := (d.Size - first) / round // rounds in which all processes have a whole block
	rest := d.Size - first - full*round
	if rest >= d.Block {
		full, rest = full+1, 0
	}
	block := repeat(x, inner, d.Block, stride)
	whole := repeat(x, block, full, x.mul(round, stride))
	if rest == 0 {
		return whole.moved(x, x.mul(first, stride))
	}
	all := newJoiner(2)
	all.add(x, x.mul(first, stride), whole)
	all.add(x, x.mul(first+full*round, stride), repeat(x, inner, rest, stride))
	return all.done(x)
}
