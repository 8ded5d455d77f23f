package datatype

import "slices"

// Indexed makes one block for each displacement, of as many elements of old as its
// blocklength says. Displacements are in extents of old.
func Indexed(blocklengths, displacements []int64, old *Type) (*Type, error) {
	a := arguments{combiner: CombinerIndexed, types: []*Type{old},
		integers: [5][]int64{{int64(len(blocklengths))}, blocklengths, displacements}}
	return indexed(&a, blocklengths, displacements, true)
}

// Hindexed is Indexed with displacements in bytes.
func Hindexed(blocklengths, displacements []int64, old *Type) (*Type, error) {
	a := arguments{combiner: CombinerHindexed, types: []*Type{old},
		integers:      [5][]int64{{int64(len(blocklengths))}, blocklengths},
		displacements: displacements}
	return indexed(&a, blocklengths, displacements, false)
}

// IndexedBlock is Indexed with one length for all blocks.
func IndexedBlock(blocklength int64, displacements []int64, old *Type) (*Type, error) {
	a := arguments{combiner: CombinerIndexedBlock, types: []*Type{old},
		integers: [5][]int64{{int64(len(displacements)), blocklength}, displacements}}
	return indexed(&a, slices.Repeat([]int64{blocklength}, len(displacements)), displacements, true)
}

// HindexedBlock is IndexedBlock with displacements in bytes.
func HindexedBlock(blocklength int64, displacements []int64, old *Type) (*Type, error) {
	a := arguments{combiner: CombinerHindexedBlock, types: []*Type{old},
		integers:      [5][]int64{{int64(len(displacements)), blocklength}},
		displacements: displacements}
	return indexed(&a, slices.Repeat([]int64{blocklength}, len(displacements)), displacements, false)
}

func indexed(a *arguments, blocklengths, displacements []int64, inExtents bool) (*Type, error) {
	if len(blocklengths) != len(displacements) {
		return nil, failed(a.combiner, wrong("%d blocklengths, but %d displacements",
			len(blocklengths), len(displacements)))
	}
	if err := a.check(blocklengths...); err != nil {
		return nil, err
	}
	var x exact
	old, unit := a.types[0], int64(1)
	if inExtents {
		unit = old.extent
	}
	all := newJoiner(len(blocklengths))
	var nodes map[int64]body // earlier blocks that have one, by their length, so that all of a length share it
	var block body
	last := int64(0) // the length of block
	for i, length := range blocklengths {
		if length == 0 {
			continue
		}
		if length != last {
			if block.data.node != nil {
				if nodes == nil {
					nodes = map[int64]body{}
				}
				nodes[last] = block
			}
			known, ok := nodes[length]
			if !ok {
				known = repeat(&x, old.body, length, old.extent)
			}
			block, last = known, length
		}
		all.add(&x, x.mul(displacements[i], unit), block)
	}
	return finish(&x, all.done(&x), a)
}
