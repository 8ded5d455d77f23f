package flow

// Budget bounds the memory that copies of messages take. Each costs Cost bytes besides its own.
type Budget struct {
	Limit, Cost int
	used        int
}

// Fits tells whether there is room for a message.
func (b *Budget) Fits(bytes int) bool { return b.used+bytes+b.Cost <= b.Limit }

// Take takes room for a message, and Give gives it back.
func (b *Budget) Take(bytes int) { b.used += bytes + b.Cost }
func (b *Budget) Give(bytes int) { b.used -= bytes + b.Cost }

// Used tells whether there is any message.
func (b *Budget) Used() bool { return b.used > 0 }

// Spares are buffers that are kept for later copies: with them a row of sends allocates nothing.
type Spares struct{ list [][]byte }

const mostSpares = 64

// Take returns n bytes, and Keep takes them back.
func (s *Spares) Take(n int) []byte {
	if last := len(s.list) - 1; last >= 0 {
		b := s.list[last]
		if s.list = s.list[:last]; n <= cap(b) {
			return b[:n]
		}
	}
	return make([]byte, n)
}

func (s *Spares) Keep(b []byte) {
	if len(s.list) < mostSpares {
		s.list = append(s.list, b)
	}
}
