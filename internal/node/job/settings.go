package job

import (
	"bytes"
	"fmt"
	"strings"
	"time"
)

// SingleCopy says whether ranks of the sm task model may read one another's memory
// with process_vm_readv (cross memory attach, CMA).
type SingleCopy uint32

const (
	// SingleCopyAuto uses it where the kernel permits it, for long messages only if
	// those that were timed last have come faster by it.
	SingleCopyAuto SingleCopy = iota
	// SingleCopyNone never uses it.
	SingleCopyNone
	// SingleCopyCMA is for measuring: it uses it, and a refusal is an error.
	SingleCopyCMA
)

var singleCopyNames = [...]string{"auto", "none", "cma"}

// String returns "auto", "none" or "cma".
func (s SingleCopy) String() string { return nameOf(s, singleCopyNames[:]...) }

// ParseSingleCopy is the inverse of String.
func ParseSingleCopy(s string) (SingleCopy, error) {
	for i, name := range singleCopyNames {
		if s == name {
			return SingleCopy(i), nil
		}
	}
	return 0, fmt.Errorf("job: single-copy mode %q is none of auto, none, cma", s)
}

// Bounds and defaults of Settings.
const (
	DefaultEagerLimit = 4096     // the paper's
	MaxEagerLimit     = 64 << 10 // from there on a copy more only costs
	MostEagerLimit    = 16 << 20 // of benchmarks, which show what it costs
	DefaultRingBlock  = 32 << 10
	MinRingBlock      = 4096
	MaxRingBlock      = 1 << 20

	// AheadLimit bounds the memory of a rank's short sends that are over before their receivers have room for them, in
	// bytes. For each counts its length, and AheadCost for the records of both ends. It bounds those to itself, too.
	AheadLimit = 16 << 20
	AheadCost  = 512

	// DefaultSpin is how often a waiter looks before it parks, or polls on: with a look of 10 to 50 ns that is 0.3 to
	// 1.6 ms. What ranks of a balanced program wait for one another is less.
	DefaultSpin = 32000

	// DefaultPeerTimeout is long: a rank may have to wait for a CPU. The supervisors notice a node that is cut off
	// long before: this is for a network that carries TCP and not UDP.
	DefaultPeerTimeout = time.Minute
	LeastPeerTimeout   = time.Second
	MostPeerTimeout    = 24 * time.Hour

	// Of Thresholds.
	DefaultShareFrom    = 48 << 10
	DefaultSoloSpinning = 8 << 10
	DefaultSoloSleeping = 64 << 10
	Never               = 1 << 30 // longer than any length that matters

	// maxCollLength and maxProgressLength are the longest texts, in bytes, that the
	// root block has room for. A list with every operation fits.
	maxCollLength     = 1024
	maxProgressLength = 40
	maxExchangeLength = 16
)

// Settings say how the ranks of a job carry out messages and collective operations.
// The launcher writes them into the root block, and each rank reads them there: so
// all ranks have the same. The zero value stands for the defaults.
type Settings struct {
	EagerLimit int        // longest message, in bytes, that is copied to and fro; 0: DefaultEagerLimit
	RingBlock  int        // block of the sm pipeline, in bytes, a multiple of 4096; 0: DefaultRingBlock
	Spin       int        // looks before a wait sleeps; 0: DefaultSpin; negative: none
	SingleCopy SingleCopy // sm only
	Thresholds

	Coll     string // algorithms of collectives, as package coll reads them; "": its own choice
	Progress string // of nonblocking collectives, as package cad reads it; "": its own choice
	Helpers  int    // ranks with a thread that progresses nonblocking collectives
	Exchange string // how messages are divided among network devices, as package exchange reads it; "": the fastest
	Check    bool   // ranks make sure that all of them make the same collective calls
	Encrypt  bool   // messages between nodes are encrypted

	Reproducible bool // reductions give the same bits wherever the ranks are

	Synchronous bool // with Check: standard sends act as synchronous ones
	Stats       bool // what costs time to count is counted, too: operations on windows
	Survive     bool // a rank that fails does not end the job
	Respawn     int  // of such a job: how many failed ranks are started anew, at most

	// PeerTimeout is how long a rank of another node may leave messages unanswered; 0: DefaultPeerTimeout.
	PeerTimeout time.Duration
}

// Thresholds are lengths in bytes at which ranks change the way. They have no flags: pvasrun tune
// measures them. 0 stands for the default; Never is for a way that is not taken at all.
type Thresholds struct {
	ShareFrom    int // in one address space both ranks copy a message of this length, or longer
	PipelineFrom int // sm, SingleCopyAuto: so long messages use the pipeline; 0: each rank finds it out
	SoloSpinning int // in one address space the last rank to arrive does so much of a collective alone
	SoloSleeping int // the same if ranks do not spin, so that the others must be woken to help
}

// Or returns s with the numbers of other in place of those that are 0.
func (s Settings) Or(other Settings) Settings {
	for _, f := range []struct{ to, from *int }{
		{&s.EagerLimit, &other.EagerLimit}, {&s.RingBlock, &other.RingBlock}, {&s.Spin, &other.Spin},
		{&s.ShareFrom, &other.ShareFrom}, {&s.PipelineFrom, &other.PipelineFrom},
		{&s.SoloSpinning, &other.SoloSpinning}, {&s.SoloSleeping, &other.SoloSleeping},
	} {
		if *f.to == 0 {
			*f.to = *f.from
		}
	}
	return s
}

// defaults are the numbers that zeros stand for.
var defaults = Settings{
	EagerLimit: DefaultEagerLimit, RingBlock: DefaultRingBlock, Spin: DefaultSpin,
	Thresholds: Thresholds{ShareFrom: DefaultShareFrom, SoloSpinning: DefaultSoloSpinning,
		SoloSleeping: DefaultSoloSleeping},
}

// Resolve returns s with defaults in place of zeros, and 0 in place of a negative
// Spin. The error names a setting that is out of its bounds. Whether Coll and Progress
// mean anything is for the packages that read them.
func (s Settings) Resolve() (Settings, error) {
	s = s.Or(defaults)
	s.Spin = max(s.Spin, 0)
	if s.PeerTimeout == 0 {
		s.PeerTimeout = DefaultPeerTimeout
	}
	return s, s.check()
}

func (s *Settings) check() error {
	switch {
	case s.EagerLimit < 1 || s.EagerLimit > MostEagerLimit:
		return fmt.Errorf("eager limit of %d bytes is outside 1..%d", s.EagerLimit, MostEagerLimit)
	case s.RingBlock < MinRingBlock || s.RingBlock > MaxRingBlock || s.RingBlock%MinRingBlock != 0:
		return fmt.Errorf("ring block of %d bytes is no multiple of %d up to %d", s.RingBlock,
			MinRingBlock, MaxRingBlock)
	case s.Spin > 1<<30:
		return fmt.Errorf("spin of %d looks is above %d", s.Spin, 1<<30)
	case int(s.SingleCopy) >= len(singleCopyNames):
		return fmt.Errorf("unknown single-copy mode %d", uint32(s.SingleCopy))
	case s.Helpers < 0 || s.Helpers > MaxRanks:
		return fmt.Errorf("number of helpers %d is outside 0..%d", s.Helpers, MaxRanks)
	case s.PeerTimeout < LeastPeerTimeout || s.PeerTimeout > MostPeerTimeout:
		return fmt.Errorf("time-out of a silent peer, %v, is outside %v..%v", s.PeerTimeout, LeastPeerTimeout,
			MostPeerTimeout)
	}
	if err := s.Thresholds.check(); err != nil {
		return err
	}
	if err := checkText("list of collective algorithms", s.Coll, maxCollLength); err != nil {
		return err
	}
	if err := checkText("form of exchanges", s.Exchange, maxExchangeLength); err != nil {
		return err
	}
	return checkText("policy of progress", s.Progress, maxProgressLength)
}

func (t *Thresholds) check() error {
	for _, v := range []int{t.ShareFrom, t.PipelineFrom, t.SoloSpinning, t.SoloSleeping} {
		if v < 0 || v > Never {
			return fmt.Errorf("threshold of %d bytes is outside 0..%d", v, Never)
		}
	}
	return nil
}

// checkText refuses a text that the root block could not give back as it was.
func checkText(what, text string, most int) error {
	if len(text) > most {
		return fmt.Errorf("%s has %d bytes, more than %d", what, len(text), most)
	}
	if strings.IndexByte(text, 0) >= 0 {
		return fmt.Errorf("%s %q has a zero byte in it", what, text)
	}
	return nil
}

// settingsRecord is Settings in the root block, with defaults filled in. Texts end at
// their first zero byte, or fill their field.
type settingsRecord struct {
	eagerLimit uint32
	ringBlock  uint32
	spin       uint32 // regardless of the number of CPUs
	singleCopy uint32
	helpers    uint32
	flags      uint32 // see below
	progress   [maxProgressLength]byte
	coll       [maxCollLength]byte
	exchange   [maxExchangeLength]byte

	shareFrom, pipelineFrom    uint32
	soloSpinning, soloSleeping uint32

	peerTimeout int64 // nanoseconds
	respawn     uint32
	_           [20]byte
}

// Of settingsRecord.flags.
const (
	flagCheck        = 1 << iota // Settings.Check
	flagEncrypt                  // Settings.Encrypt
	flagSynchronous              // Settings.Synchronous
	flagStats                    // Settings.Stats
	flagReproducible             // Settings.Reproducible
	flagSurvive                  // Settings.Survive
)

// write fills in the record, which is zero, from resolved settings.
func (r *settingsRecord) write(s Settings) {
	r.eagerLimit, r.ringBlock, r.spin = uint32(s.EagerLimit), uint32(s.RingBlock), uint32(s.Spin)
	r.singleCopy, r.helpers, r.peerTimeout = uint32(s.SingleCopy), uint32(s.Helpers), int64(s.PeerTimeout)
	r.shareFrom, r.pipelineFrom = uint32(s.ShareFrom), uint32(s.PipelineFrom)
	r.soloSpinning, r.soloSleeping = uint32(s.SoloSpinning), uint32(s.SoloSleeping)
	if s.Check {
		r.flags |= flagCheck
	}
	if s.Encrypt {
		r.flags |= flagEncrypt
	}
	if s.Synchronous {
		r.flags |= flagSynchronous
	}
	if s.Stats {
		r.flags |= flagStats
	}
	if s.Survive {
		r.flags |= flagSurvive
	}
	r.respawn = uint32(s.Respawn)
	if s.Reproducible {
		r.flags |= flagReproducible
	}
	copy(r.progress[:], s.Progress)
	copy(r.coll[:], s.Coll)
	copy(r.exchange[:], s.Exchange)
}

// read is the inverse of write.
func (r *settingsRecord) read() Settings {
	return Settings{
		EagerLimit: int(r.eagerLimit), RingBlock: int(r.ringBlock), Spin: int(r.spin),
		SingleCopy: SingleCopy(r.singleCopy), Helpers: int(r.helpers), PeerTimeout: time.Duration(r.peerTimeout),
		Thresholds: Thresholds{
			ShareFrom: int(r.shareFrom), PipelineFrom: int(r.pipelineFrom),
			SoloSpinning: int(r.soloSpinning), SoloSleeping: int(r.soloSleeping),
		},
		Check: r.flags&flagCheck != 0, Encrypt: r.flags&flagEncrypt != 0, Synchronous: r.flags&flagSynchronous != 0,
		Stats: r.flags&flagStats != 0, Survive: r.flags&flagSurvive != 0,
		Respawn:      int(r.respawn),
		Reproducible: r.flags&flagReproducible != 0,
		Progress:     text(r.progress[:]), Coll: text(r.coll[:]), Exchange: text(r.exchange[:]),
	}
}

func text(field []byte) string {
	before, _, _ := bytes.Cut(field, []byte{0})
	return string(before)
}

// Settings returns the settings in force, none of them standing for a default. Spin
// is 0 when there are more ranks than CPUs.
func (r *Root) Settings() Settings { return r.settings }
