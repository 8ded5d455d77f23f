package match

// pageSources is the number of sources per page of a table. A page is 2 KiB.
const pageSources = 64

// table finds the source of a number. Only the pages that hold a source which has
// been asked for exist, so ranks that never talk cost eight bytes per pageSources.
type table[R, M any] struct {
	pages []*[pageSources]source[R, M]
}

func newTable[R, M any](size int) table[R, M] {
	return table[R, M]{make([]*[pageSources]source[R, M], (size+pageSources-1)/pageSources)}
}

// at returns the source; the number is one of a rank of the job.
func (t *table[R, M]) at(rank int32) *source[R, M] {
	p := t.pages[uint32(rank)/pageSources]
	if p == nil {
		p = new([pageSources]source[R, M])
		t.pages[uint32(rank)/pageSources] = p
	}
	return &p[uint32(rank)%pageSources]
}
