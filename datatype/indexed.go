package datatype

import "slices"

// Indexed makes one block for each displacement, of as many elements of old as its
// blocklength says. Displacements are in extents of old.
func Indexed(blocklengths, displacements []int64, old *Type) (*Type, error) {
	c := Contents{Combiner: CombinerIndexed, Types: []*Type{old},
		Integers: slices.Concat([]int64{int64(len(blocklengths))}, blocklengths, displacements)}
	return indexed(c, blocklengths, displacements, true)
}

// Hindexed is Indexed with displacements in bytes.
func Hindexed(blocklengths, displacements []int64, old *Type) (*Type, error) {
	c := Contents{Combiner: CombinerHindexed, Types: []*Type{old},
		Integers:      slices.Concat([]int64{int64(len(blocklengths))}, blocklengths),
		Displacements: slices.Clone(displacements)}
	return indexed(c, blocklengths, displacements, false)
}

// IndexedBlock is Indexed with one length for all blocks.
func IndexedBlock(blocklength int64, displacements []int64, old *Type) (*Type, error) {
	c := Contents{Combiner: CombinerIndexedBlock, Types: []*Type{old},
		Integers: slices.Concat([]int64{int64(len(displacements)), blocklength}, displacements)}
	return indexed(c, slices.Repeat([]int64{blocklength}, len(displacements)), displacements, true)
}

// HindexedBlock is IndexedBlock with displacements in bytes.
func HindexedBlock(blocklength int64, displacements []int64, old *Type) (*Type, error) {
	c := Contents{Combiner: CombinerHindexedBlock, Types: []*Type{old},
		Integers:      []int64{int64(len(displacements)), blocklength},
		Displacements: slices.Clone(displacements)}
	return indexed(c, slices.Repeat([]int64{blocklength}, len(displacements)), displacements, false)
}

func indexed(c Contents, blocklengths, displacements []int64, inExtents bool) (*Type, error) {
	if len(blocklengths) != len(displacements) {
		return nil, failed(c.Combiner, wrong("%d blocklengths, but %d displacements",
			len(blocklengths), len(displacements)))
	}
	if err := c.check(blocklengths...); err != nil {
		return nil, err
	}
	var x exact
	old, unit := c.Types[0], int64(1)
	if inExtents {
		unit = old.extent
	}
	all := newJoiner(&x)
	all.list.entries = make([]piece, 0, len(blocklengths))
	blocks := map[int64]body{} // by their length, so that they share their nodes
	for i, length := range blocklengths {
		if length == 0 {
			continue
		}
		block, ok := blocks[length]
		if !ok {
			block = repeat(&x, old.body, length, old.extent)
			blocks[length] = block
		}
		all.add(x.mul(displacements[i], unit), block)
	}
	return finish(&x, all.done(), c)
}
