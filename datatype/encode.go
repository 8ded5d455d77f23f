package datatype

import "slices"

// encode writes the words of the flat form.
func encode(t *Type) Flat {
	e := encoder{words: make([]uint64, headerWords), at: map[*node]uint64{}}
	root := e.reference(t.body.data.node)
	header := [headerWords]int64{
		wordMagic:      flatMagic,
		wordLength:     int64(len(e.words)),
		wordSize:       t.Size(),
		wordLB:         t.lb,
		wordExtent:     t.extent,
		wordTrueLB:     t.trueLB,
		wordTrueExtent: t.span,
		wordOrigin:     t.body.data.disp,
		wordRoot:       int64(root),
	}
	for i, w := range header {
		e.words[i] = uint64(w)
	}
	return Flat{e.words[:len(e.words):len(e.words)]}
}

type encoder struct {
	words []uint64
	at    map[*node]uint64 // references of the nodes written so far
}

// reference writes a node once, behind the nodes that it refers to, and returns its reference.
func (e *encoder) reference(n *node) uint64 {
	if n == nil {
		return 0
	}
	if at, ok := e.at[n]; ok {
		return at
	}
	var at uint64
	if n.isLoop() {
		inner := e.reference(n.inner.node)
		at = uint64(len(e.words))
		e.words = append(e.words, loopTag, uint64(n.inner.size), uint64(n.count), uint64(n.stride), inner)
	} else {
		at = e.list(n)
	}
	e.at[n] = at
	return at
}

func (e *encoder) list(n *node) uint64 {
	for _, entry := range n.entries {
		e.reference(entry.node)
	}
	at, start := uint64(len(e.words)), int64(0)
	e.words = slices.Grow(e.words, listWords+entryWords*len(n.entries))
	e.words = append(e.words, listTag, uint64(len(n.entries)))
	for _, entry := range n.entries {
		e.words = append(e.words, uint64(start), uint64(entry.disp), e.reference(entry.node))
		start += entry.size
	}
	e.words = append(e.words, uint64(start))
	return at
}
