package goal

import (
	"bytes"
	"hash/maphash"

	"github.com/gopvas/gopvas/loggps/graph"
)

// labels are those of one rank. A map would need a string for each; here their text lies
// in one piece, which the next rank uses again.
type labels struct {
	seed  maphash.Seed
	text  []byte
	slots []slot // open addressing; a power of two, at most half of them used
	used  int
}

type slot struct {
	hash     uint32
	from, to uint32 // in text; to is 0 in an empty slot
	id       graph.ID
}

func newLabels() *labels { return &labels{seed: maphash.MakeSeed(), slots: make([]slot, 64)} }

func (l *labels) clear() {
	clear(l.slots)
	l.text, l.used = l.text[:0], 0
}

// find returns the slot of a label, or the empty one where it belongs.
func (l *labels) find(label []byte) (s *slot, hash uint32) {
	hash = uint32(maphash.Bytes(l.seed, label))
	for i := hash; ; i++ {
		s = &l.slots[i&uint32(len(l.slots)-1)]
		if s.to == 0 || s.hash == hash && bytes.Equal(l.text[s.from:s.to], label) {
			return s, hash
		}
	}
}

func (l *labels) get(label []byte) (graph.ID, bool) {
	s, _ := l.find(label)
	return s.id, s.to != 0
}

// set gives a label that is not there yet.
func (l *labels) set(label []byte, id graph.ID) {
	if l.used++; 2*l.used > len(l.slots) {
		l.grow()
	}
	s, hash := l.find(label)
	from := uint32(len(l.text))
	l.text = append(l.text, label...)
	*s = slot{hash, from, uint32(len(l.text)), id}
}

func (l *labels) grow() {
	old := l.slots
	l.slots = make([]slot, 2*len(old))
	for _, s := range old {
		if s.to == 0 {
			continue
		}
		at, _ := l.find(l.text[s.from:s.to])
		*at = s
	}
}
