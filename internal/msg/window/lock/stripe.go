package lock

import "math/bits"

// What keeps accumulates atomic for each element. The memory of a target is in stripes of 16 KiB, each of which has a
// lock, and 64 parts. Several places have the same stripe, so it may be busy for another one.
//
// An element belongs to the part in which it begins. It is changed in one of two ways:
//
//   - Under the lock of its stripe, by plain code: the kernels of reductions, which take many elements at once.
//   - By an instruction of the processor that changes it at once: only words, which are integers and the like of 4 and
//     8 bytes at a multiple of their size. The page of an element has the same offset in all processes, so all find
//     the same. Shorter ones are seldom counters, and often parts of something longer.
//
// A kernel loads an element and stores it later. An instruction in between would be lost. So words of a part are all
// changed by instructions from some time on, and none before:
//
//   - A call of one word looks at the flag of its part (stripe.singles). If there is none it takes the lock, sets the
//     flag and gives the lock back. Then it uses an instruction, without the lock.
//   - A call of several words takes the lock, and then reads the flags. It uses instructions in the parts that have
//     one, and kernels in others.
//
// Flags are set under the lock and never taken back. So while a kernel is at a part, the part has no flag and gets
// none. A call that finds the flag comes after all kernels of this part: their stores are before the lock was given
// back, that before the flag was set, and that before it was found. All these words are atomic, so other ranks see
// that order.
//
// A flag makes calls of many words slower, by some nanoseconds for each word of its 256 bytes: a locked instruction
// takes 2.4, where a kernel takes 0.1. That is the price of counters that wait for no lock. So a rank that is stopped,
// or has lost its CPU, cannot hold them up.
//
// In parts that have a flag a word is read by a load, and replaced by a store if nobody asks for what was there: it
// lies at a multiple of its size. An operator that leaves a word as it is, as a maximum often does, is over when the
// word was loaded.
//
// Exclusive locks of a target change nothing here: several threads of the rank that has one may accumulate at a time.
//
// Loads and stores of the target itself are not ordered with accumulates, but it may poll a word for a change. It
// finds the word as it was before or after an accumulate, since kernels store each element at once.

const (
	stripeShift = 14              // the length of a stripe as a power of two
	partShift   = stripeShift - 6 // that of a part: there is a bit for each in a word
	partsMask   = 1<<(stripeShift-partShift) - 1
)

// StripeBytes is the length of a stripe.
const StripeBytes = 1 << stripeShift

// StripeEnd is where the stripe of a place ends.
func StripeEnd(at uintptr) uintptr { return (at>>stripeShift + 1) << stripeShift }

// BytesIn is how many of n bytes of elements, from a place on, are of elements that begin in its stripe.
func BytesIn(at uintptr, n, size int) int { return min(n, roundUp(int(StripeEnd(at)-at), size)) }

func roundUp(n, to int) int { return (n + to - 1) / to * to }

// stripeOf is the stripe of a place.
func (w *Words) stripeOf(at uintptr) *Stripe {
	h := uint64(at>>stripeShift) * 0x9e3779b97f4a7c15
	return &w.stripes[h>>32&uint64(len(w.stripes)-1)]
}

// Enter takes the lock of the stripe of a place, and returns it. aside says that the caller serves another rank.
func (w *Words) Enter(at uintptr, aside bool) (*Stripe, error) {
	s := w.stripeOf(at)
	for !s.holder.CompareAndSwap(0, uint32(w.me+1)) {
		if err := w.await(untilLeft(s), aside); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// untilLeft is the wait until the lock of a stripe can be taken.
func untilLeft(s *Stripe) wait {
	return wait{
		over:   func() bool { return s.holder.Load() == 0 },
		blocks: func(gone int) bool { return int(s.holder.Load()) == gone+1 },
		free:   func(gone int) { s.holder.CompareAndSwap(uint32(gone+1), 0) },
		lock:   none,
		holder: func() int { return int(s.holder.Load()) - 1 },
	}
}

// Leave gives it back.
func (w *Words) Leave(s *Stripe) {
	s.holder.Store(0)
	w.Changed()
}

// flag is the bit of the part of a place.
func flag(at uintptr) uint64 { return 1 << (at >> partShift & partsMask) }

// Single is called before a word is changed by an instruction: from now on no kernel is at its part.
func (w *Words) Single(at uintptr, aside bool) error {
	if w.stripeOf(at).singles.Load()&flag(at) != 0 {
		return nil
	}
	s, err := w.Enter(at, aside)
	if err != nil {
		return err
	}
	s.singles.Store(s.singles.Load() | flag(at))
	w.Leave(s)
	return nil
}

// HasSingles tells whether instructions change words of the stripe. The caller has the lock.
func (s *Stripe) HasSingles() bool { return s.singles.Load() != 0 }

// Alike is how many of n bytes of words, from a place of a stripe on, are changed in the same way, and whether that is
// by instructions. The caller has the lock.
func (s *Stripe) Alike(at uintptr, n, size int) (k int, singles bool) {
	part := at >> partShift
	flags := bits.RotateLeft64(s.singles.Load(), -int(part&partsMask))
	if singles = flags&1 != 0; singles {
		flags = ^flags
	}
	part += uintptr(bits.TrailingZeros64(flags))
	return min(n, roundUp(int(part<<partShift-at), size)), singles
}
