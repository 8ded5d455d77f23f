package graph

// operations are those of a graph, in blocks: a list that grows copies none of them.
type operations struct {
	blocks [][]Op
	count  int
}

const (
	blockShift = 16
	blockSize  = 1 << blockShift
)

func (o *operations) at(id ID) *Op { return &o.blocks[id>>blockShift][id%blockSize] }

// add adds an operation. The first block grows with what it has, since most graphs are small.
func (o *operations) add(op Op) {
	if last := o.count >> blockShift; last == len(o.blocks) {
		o.blocks = append(o.blocks, nil)
		if last > 0 {
			o.blocks[last] = make([]Op, 0, blockSize)
		}
	}
	last := &o.blocks[o.count>>blockShift]
	*last = append(*last, op)
	o.count++
}

// drop takes the last operation away.
func (o *operations) drop() {
	o.count--
	last := &o.blocks[o.count>>blockShift]
	*last = (*last)[:o.count%blockSize]
	if o.count%blockSize == 0 {
		o.blocks = o.blocks[:o.count>>blockShift]
	}
}

// fit gives back what the first block does not need.
func (o *operations) fit() {
	if len(o.blocks) == 1 {
		o.blocks[0] = fitting(o.blocks[0])
	}
}
