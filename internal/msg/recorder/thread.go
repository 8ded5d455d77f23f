package recorder

import "github.com/gopvas/gopvas/trace"

// threads gives the goroutines of a rank their numbers. A goroutine is known by its record in the runtime, which
// another one may get when it has ended: the two are one thread then.
type threads struct {
	last    uintptr // the goroutine that was recorded last
	flags   trace.Flags
	numbers map[uintptr]trace.Flags
}

// current returns the flags of the calling goroutine.
func (t *threads) current() trace.Flags {
	if g := currentG(); g != t.last {
		t.change(g)
	}
	return t.flags
}

func (t *threads) change(g uintptr) {
	flags, known := t.numbers[g]
	if !known {
		if t.numbers == nil {
			t.numbers = map[uintptr]trace.Flags{}
		}
		flags = trace.OfThread(min(len(t.numbers), trace.Threads-1))
		if len(t.numbers) < trace.Threads-1 {
			t.numbers[g] = flags
		}
	}
	t.last, t.flags = g, flags
}
