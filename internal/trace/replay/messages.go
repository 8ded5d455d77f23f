package replay

import "github.com/gopvas/gopvas/trace"

// byMessage has something of each message. Those of a sender to a receiver are numbered from 1 on, so they stand in a
// row and need no key. The zero value is empty.
type byMessage[T any] struct {
	rows map[[2]int32]*[]T    // by sender and receiver
	odd  map[trace.Message]*T // whose numbers are far from those of others, as no recorder gives them
}

// farMessages bounds how far a number may be from those before.
const farMessages = 1 << 16

// at returns the place of what is known of a message.
func (b *byMessage[T]) at(m trace.Message) *T {
	if b.rows == nil {
		b.rows, b.odd = map[[2]int32]*[]T{}, map[trace.Message]*T{}
	}
	pair, i := [2]int32{m.From, m.To}, int(m.Number-1)
	row := b.rows[pair]
	if row == nil {
		row = new([]T)
		b.rows[pair] = row
	}
	if i >= 2*len(*row)+farMessages {
		if b.odd[m] == nil {
			b.odd[m] = new(T)
		}
		return b.odd[m]
	}
	for len(*row) <= i {
		var none T
		*row = append(*row, none)
	}
	return &(*row)[i]
}

// get returns what is known of a message.
func (b *byMessage[T]) get(m trace.Message) (known T) {
	if odd := b.odd[m]; odd != nil {
		return *odd
	}
	if row := b.rows[[2]int32{m.From, m.To}]; row != nil && int(m.Number-1) < len(*row) {
		known = (*row)[m.Number-1]
	}
	return known
}
