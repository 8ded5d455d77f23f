package job

import "fmt"

// SingleCopy says whether ranks of the sm task model may read one another's memory
// with process_vm_readv (cross memory attach, CMA).
type SingleCopy uint32

const (
	// SingleCopyAuto uses it where the kernel permits it and it is the faster way:
	// with more ranks than CPUs.
	SingleCopyAuto SingleCopy = iota
	// SingleCopyNone never uses it.
	SingleCopyNone
	// SingleCopyCMA is for measuring: it uses it, and a refusal is an error.
	SingleCopyCMA
)

var singleCopyNames = [...]string{"auto", "none", "cma"}

// String returns "auto", "none" or "cma".
func (s SingleCopy) String() string {
	if int(s) < len(singleCopyNames) {
		return singleCopyNames[s]
	}
	return fmt.Sprintf("SingleCopy(%d)", uint32(s))
}

// ParseSingleCopy is the inverse of String.
func ParseSingleCopy(s string) (SingleCopy, error) {
	for i, name := range singleCopyNames {
		if s == name {
			return SingleCopy(i), nil
		}
	}
	return 0, fmt.Errorf("job: single-copy mode %q is none of auto, none, cma", s)
}

// Bounds and defaults of Tunables.
const (
	DefaultEagerLimit = 4096 // the paper's
	MaxEagerLimit     = 64 << 10
	DefaultRingBlock  = 32 << 10
	MinRingBlock      = 4096
	MaxRingBlock      = 1 << 20

	// DefaultSpin is how often a waiter looks before it sleeps: with a look of 10 to
	// 50 ns that is 20 to 100 us, some times the price of sleeping and being woken.
	DefaultSpin = 2000
)

// Tunables are numbers that change the speed of messages and nothing else. The
// zero value stands for the defaults.
type Tunables struct {
	EagerLimit int        // longest message, in bytes, that is copied to and fro; 0: DefaultEagerLimit
	RingBlock  int        // block of the sm pipeline, in bytes, a multiple of 4096; 0: DefaultRingBlock
	Spin       int        // looks before a wait sleeps; 0: DefaultSpin; negative: none
	SingleCopy SingleCopy // sm only
}

// Resolve returns t with defaults in place of zeros and 0 in place of a negative
// Spin, or an error that names the number that is out of its bounds.
func (t Tunables) Resolve() (Tunables, error) {
	if t.EagerLimit == 0 {
		t.EagerLimit = DefaultEagerLimit
	}
	if t.RingBlock == 0 {
		t.RingBlock = DefaultRingBlock
	}
	switch {
	case t.Spin == 0:
		t.Spin = DefaultSpin
	case t.Spin < 0:
		t.Spin = 0
	}
	switch {
	case t.EagerLimit < 1 || t.EagerLimit > MaxEagerLimit:
		return t, fmt.Errorf("eager limit of %d bytes is outside 1..%d", t.EagerLimit, MaxEagerLimit)
	case t.RingBlock < MinRingBlock || t.RingBlock > MaxRingBlock || t.RingBlock%MinRingBlock != 0:
		return t, fmt.Errorf("ring block of %d bytes is no multiple of %d up to %d", t.RingBlock, MinRingBlock, MaxRingBlock)
	case t.Spin > 1<<30:
		return t, fmt.Errorf("spin of %d looks is above %d", t.Spin, 1<<30)
	case int(t.SingleCopy) >= len(singleCopyNames):
		return t, fmt.Errorf("unknown single-copy mode %d", uint32(t.SingleCopy))
	}
	return t, nil
}

// Tunables returns the numbers in force, none of them standing for a default. Spin
// is 0 when there are more ranks than CPUs.
func (r *Root) Tunables() Tunables {
	return Tunables{
		EagerLimit: int(r.head.eagerLimit), RingBlock: int(r.head.ringBlock),
		Spin: r.spin, SingleCopy: SingleCopy(r.head.singleCopy),
	}
}
