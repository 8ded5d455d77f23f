package datatype

// The flat form
//
// A flat form is a header and then nodes, all of words. A reference to a node is the index
// of its first word. A node refers only to nodes before it, so there are no cycles; a
// shared node stands there once. Reference 0 is a run of bytes, whose length is known where
// the reference stands. All other numbers are two's complement int64.
//
//	loop   loopTag, size of a round, count, stride, reference of a round
//	list   listTag, number of entries, then for each entry
//	       start in the packed stream, displacement, reference;
//	       then the size of the list, as if another entry started there
//
// The size of a list entry is the distance of its start to the next one's. The functions that
// use a flat form rely on the invariants 1 and 6 of piece.go, and on 3 and 4 as far as these
// concern runs. checkFlat, of the tests, checks all of that.
const (
	wordMagic = iota
	wordLength
	wordSize
	wordLB
	wordExtent
	wordTrueLB
	wordTrueExtent
	wordOrigin // displacement of the root
	wordRoot   // reference
	headerWords
)

const (
	flatMagic = 0x676f70766173_0002 // the last digits are a version
	loopTag   = 1
	listTag   = 2

	loopWords  = 5
	listWords  = 3 // without its entries
	listFirst  = 2 // first word of the entries
	entryWords = 3
)

// Flat is the committed form of a type. It refers to words that may lie in memory of other
// ranks; they must not change while it is used.
type Flat struct{ words []uint64 }

// Flat returns the flat form, which is made by the first call.
func (t *Type) Flat() Flat {
	t.commit.Do(func() { t.flat = encode(t) })
	return t.flat
}

func (f Flat) word(i int) int64 { return int64(f.words[i]) }

// Size, Extent and TrueExtent are those of the type.
func (f Flat) Size() int64 { return f.word(wordSize) }

func (f Flat) Extent() (lb, extent int64) { return f.word(wordLB), f.word(wordExtent) }

func (f Flat) TrueExtent() (lb, extent int64) { return f.word(wordTrueLB), f.word(wordTrueExtent) }
