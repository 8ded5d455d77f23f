package match

import "iter"

// Machine is the matching state of a rank: its contexts.
type Machine[R, M any] struct {
	ranks    int
	last     *Context[R, M] // the one used last
	contexts map[uint32]*Context[R, M]
}

// New returns the state of a rank that messages from so many ranks may reach.
func New[R, M any](ranks int) Machine[R, M] {
	return Machine[R, M]{ranks: ranks, contexts: map[uint32]*Context[R, M]{}}
}

// In returns a context, which it makes on first use.
func (m *Machine[R, M]) In(number uint32) *Context[R, M] {
	if c := m.last; c != nil && c.number == number {
		return c
	}
	c := m.contexts[number]
	if c == nil {
		c = &Context[R, M]{number: number, sources: newTable[R, M](m.ranks)}
		m.contexts[number] = c
	}
	m.last = c
	return c
}

// Known is In for a context that was used before, else nil.
func (m *Machine[R, M]) Known(number uint32) *Context[R, M] { return m.contexts[number] }

// Contexts are all contexts by their numbers, in no order.
func (m *Machine[R, M]) Contexts() iter.Seq2[uint32, *Context[R, M]] {
	return func(yield func(uint32, *Context[R, M]) bool) {
		for number, c := range m.contexts {
			if !yield(number, c) {
				return
			}
		}
	}
}

// Expel yields the receives and probes that can never have a message: those for which why returns an error. Each is
// out of its queue by then. That is how the machine hears of ranks that have gone. Messages that came before stay.
func (m *Machine[R, M]) Expel(why func(*R) error) iter.Seq2[*R, error] {
	return func(yield func(*R, error) bool) {
		for _, c := range m.contexts {
			if !c.expel(why, yield) {
				return
			}
		}
	}
}
