package replay

import "github.com/gopvas/gopvas/trace"

// byMessage has something of each message. Those of a sender to a receiver are numbered in order, so they stand in a
// row and need no key. The zero value is empty.
type byMessage[T any] struct {
	rows map[[2]int32]*row[T] // by sender and receiver
	odd  map[trace.Message]*T // whose numbers come before the first of their row, or are far from those of others
}

// row is a sender's messages to a receiver. In a part of a job the first number may be large.
type row[T any] struct {
	first uint32
	list  []T
}

// farMessages bounds how far a number may be from those before.
const farMessages = 1 << 16

// at returns the place of what is known of a message. It stays where it is.
func (b *byMessage[T]) at(m trace.Message) *T {
	if b.rows == nil {
		b.rows, b.odd = map[[2]int32]*row[T]{}, map[trace.Message]*T{}
	}
	if odd := b.odd[m]; odd != nil {
		return odd
	}
	r := b.rows[[2]int32{m.From, m.To}]
	if r == nil {
		r = &row[T]{first: m.Number}
		b.rows[[2]int32{m.From, m.To}] = r
	}
	i := int(m.Number) - int(r.first)
	if i < 0 || i >= 2*len(r.list)+farMessages {
		odd := new(T)
		b.odd[m] = odd
		return odd
	}
	for len(r.list) <= i {
		var none T
		r.list = append(r.list, none)
	}
	return &r.list[i]
}

// get returns what is known of a message.
func (b *byMessage[T]) get(m trace.Message) (known T) {
	if odd := b.odd[m]; odd != nil {
		return *odd
	}
	if r := b.rows[[2]int32{m.From, m.To}]; r != nil {
		if i := int(m.Number) - int(r.first); i >= 0 && i < len(r.list) {
			known = r.list[i]
		}
	}
	return known
}
