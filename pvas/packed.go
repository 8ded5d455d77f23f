package pvas

import "debug/elf"

// Entries of the dynamic section about packed relocations, which debug/elf does not name.
const (
	dtRelrSize elf.DynTag = 35
	dtRelr     elf.DynTag = 36
)

// maxPacked bounds the table of packed relocations, in bytes: eight million words.
const maxPacked = 1 << 20

// Packed relocations are the table of DT_RELR: words to which the bias is to be added. An even entry is the address
// of such a word. An odd one is a map of bits for the 63 words that follow the last word that the table has come to.
type packed []uint64

// each calls f with the address of each word, until it returns false.
func (t packed) each(f func(offset uint64) bool) {
	const word, words = 8, 63
	next := uint64(0)
	for _, entry := range t {
		if entry&1 == 0 {
			if !f(entry) {
				return
			}
			next = entry + word
			continue
		}
		for i := range uint64(words) {
			if entry>>(i+1)&1 != 0 && !f(next+i*word) {
				return
			}
		}
		next += words * word
	}
}

// readPacked reads the table, all of whose words lie in writable memory.
func (p *planner) readPacked(d *dynamic) (packed, error) {
	if d.relrSize%8 != 0 {
		return nil, malformed("table of packed relocations of %d bytes", d.relrSize)
	}
	if d.relrSize == 0 {
		return nil, nil
	}
	off, in := p.img.fileOffset(d.relr, d.relrSize)
	if !in {
		return nil, malformed("table of packed relocations at %#x is not in a loaded segment", d.relr)
	}
	b, err := p.read("table of packed relocations", off, d.relrSize, maxPacked)
	if err != nil {
		return nil, err
	}
	table := make(packed, len(b)/8)
	decode(b, []uint64(table))
	if table[0]&1 != 0 {
		return nil, malformed("table of packed relocations begins with a map of bits")
	}
	table.each(func(offset uint64) bool {
		err = p.img.checkWord(offset)
		return err == nil
	})
	return table, err
}
