package job

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"sync/atomic"
)

// Need is how a rank in a collective operation needs the ranks that it names.
type Need uint32

const (
	// NeedPeers is for messages: it needs something of each, which they do in the same
	// call, or have done before they came out of it.
	NeedPeers Need = iota

	// NeedAny is for graphs by messages in a call that blocks: it needs something of each,
	// but may do its part for the others when it has that of one.
	NeedAny

	// NeedAll is for meetings: it needs all members to come, and names those that had not
	// when it said so. Those that have come since are in the same call.
	NeedAll

	// NeedIssue is for nonblocking operations: it needs each to begin its part. A rank that
	// has begun it may wait elsewhere since.
	NeedIssue

	// NeedAllIssue is both: it needs all members to begin their parts.
	NeedAllIssue

	// NeedSome is for nonblocking operations: it may need steps of these ranks.
	NeedSome
)

// Ending is Collective.Name of a rank that waits for all others to come to their ends.
const Ending = "finalize"

// windowMark is what the names of windows begin with, so that they differ from those of communicators.
const windowMark = "\x01"

// OfWindow is Collective.Communicator of a window.
func OfWindow(name string) string { return windowMark + name }

// tagMark is likewise for what ranks have to pass alike to make a communicator.
const tagMark = "\x02"

// OfTag is Collective.Communicator where ranks make a communicator, given the tag and the group that this one passes.
func OfTag(tagAndGroup string) string { return tagMark + tagAndGroup }

// On says what the operation is on: a communicator or a window, and its name; "" if it has none.
func (c *Collective) On() (what, name string) {
	if name, ok := strings.CutPrefix(c.Communicator, windowMark); ok {
		return "window", name
	}
	if name, ok := strings.CutPrefix(c.Communicator, tagMark); ok {
		return "tag and group", name
	}
	return "communicator", c.Communicator
}

// namedRanks is how many ranks a record can name.
const namedRanks = 68

// meeting tells whether all members make the same call, and say so.
func (n Need) meeting() bool { return n == NeedAll || n == NeedIssue || n == NeedAllIssue }

// Collective describes a collective operation in which a rank waits.
type Collective struct {
	Name         string // of the operation, as "allreduce"; the first 24 bytes are stored
	Communicator string // its name, "" if it has none; 88 bytes. That of a window is from OfWindow; see also OfTag
	Number       uint64 // of the call on the communicator: the same on all members
	Call         uint64 // a word for the operation, alike on ranks in the same call; 0: none is known
	Agreed       Agreed
	Need         Need
	Missing      int                // how many ranks it waits for
	ranks        [namedRanks]uint16 // the first of them
}

// Agreed is what all members of a communicator that wait in the same call of the program have to agree about. It is for
// the report of a hang only. Number and Call are of a step where the call is made of several, and Call is 0 in calls of
// which nobody compares the words of two ranks.
type Agreed struct {
	Turn      uint64 // which call it is: context of the communicator in the high half, and number
	Signature uint64 // operation, root, operator and length, in a word; 0: not known
}

// Agree returns what has to be agreed about in the call of this number.
func Agree(context uint32, number, signature uint64) Agreed {
	return Agreed{uint64(context)<<32 | number&math.MaxUint32, signature}
}

// Miss adds a rank to those that are waited for.
func (c *Collective) Miss(rank int) {
	if c.Missing < namedRanks {
		c.ranks[c.Missing] = uint16(rank)
	}
	c.Missing++
}

// Ranks returns those that are waited for, as far as the record could name them.
func (c *Collective) Ranks() []int {
	ranks := make([]int, min(c.Missing, namedRanks))
	for i := range ranks {
		ranks[i] = int(c.ranks[i])
	}
	return ranks
}

// collectiveBlock is a Collective in shared memory, a part of waitingBlock.
type collectiveBlock struct {
	number    atomic.Uint64
	call      atomic.Uint64
	turn      atomic.Uint64 // of Agreed
	signature atomic.Uint64 // likewise
	need      atomic.Uint32
	missing   atomic.Uint32
	name      [3]atomic.Uint64
	comm      [11]atomic.Uint64
	ranks     [namedRanks / 4]atomic.Uint64
}

func (b *collectiveBlock) store(c *Collective) {
	b.number.Store(c.Number)
	b.call.Store(c.Call)
	b.turn.Store(c.Agreed.Turn)
	b.signature.Store(c.Agreed.Signature)
	b.need.Store(uint32(c.Need))
	b.missing.Store(uint32(c.Missing))
	storeText(b.name[:], c.Name)
	storeText(b.comm[:], c.Communicator)
	for i := range b.ranks {
		var w uint64
		for j, rank := range c.ranks[4*i : 4*i+4] {
			w |= uint64(rank) << (16 * j)
		}
		b.ranks[i].Store(w)
	}
}

func (b *collectiveBlock) load() (c Collective) {
	c.Number, c.Call, c.Need, c.Missing = b.number.Load(), b.call.Load(), Need(b.need.Load()), int(b.missing.Load())
	c.Agreed = Agreed{b.turn.Load(), b.signature.Load()}
	c.Name, c.Communicator = loadText(b.name[:]), loadText(b.comm[:])
	for i := range c.ranks {
		c.ranks[i] = uint16(b.ranks[i/4].Load() >> (16 * (i % 4)))
	}
	return c
}

// storeText stores the beginning of a text.
func storeText(words []atomic.Uint64, s string) {
	var text [8 * textWords]byte
	copy(text[:8*len(words)], s)
	for i := range words {
		words[i].Store(binary.LittleEndian.Uint64(text[8*i:]))
	}
}

func loadText(words []atomic.Uint64) string {
	var text [8 * textWords]byte
	for i := range words {
		word := words[i].Load()
		if word == 0 {
			break
		}
		binary.LittleEndian.PutUint64(text[8*i:], word)
	}
	if n := slices.Index(text[:], 0); n >= 0 {
		return string(text[:n])
	}
	return string(text[:])
}

// meetings corrects, for members that wait for others to come to the same operation, the list of ranks
// that are missing. Each has spoken of the time when it began to wait. The last of them has seen all
// that had come by then, and those that have said anything of this operation have come.
func meetings(views []View) {
	type meeting struct {
		node    int // they share memory
		context uint32
		number  uint64
	}
	members := map[meeting][]int{}
	for i := range views {
		w := &views[i].Waiting
		if views[i].Waits && w.Op == OpCollective && w.Collective.Need.meeting() {
			m := meeting{views[i].node, w.Context, w.Collective.Number}
			members[m] = append(members[m], i)
		}
	}
	for _, here := range members {
		last := here[0]
		for _, i := range here {
			if views[i].Waiting.Seen > views[last].Waiting.Seen {
				last = i
			}
		}
		all, unnamed := views[last].missingBeside(here)
		seen := views[last].Waiting.Seen
		for _, i := range here {
			if v := &views[i]; v.Waiting.Collective.Need == NeedIssue {
				v.For, v.Unnamed = v.missingBeside(here)
			} else {
				v.For, v.Unnamed, v.seen = all, unnamed, seen // the latest there is
			}
		}
	}
}

// missingBeside returns the missing ranks, without those that are here now, and how many more.
func (v *View) missingBeside(here []int) (ranks []int, unnamed int) {
	for _, rank := range v.Waiting.Collective.Ranks() {
		if !slices.Contains(here, rank) {
			ranks = append(ranks, rank)
		}
	}
	return ranks, max(0, v.Waiting.Collective.Missing-namedRanks)
}

// mayHaveBegun tells, of an operation for which another rank had not done its part when that was seen,
// whether that rank may have done it since: it may if it began to wait later.
func (v *View) mayHaveBegun(other *View) bool {
	return v.Waiting.Op == OpCollective && v.Waiting.Collective.Need.meeting() && other.Waits &&
		other.Waiting.Since > max(v.seen, v.Waiting.Seen)
}

// freedContexts are the communicators that a rank has freed last, by the contexts of their blocking collectives. The
// rank makes no call there any more. It stores one when it has freed it, and only then tells rank 0 of the communicator
// so. That one takes it out, when all members have said so, before the context is used again. So a reader that first
// finds a rank in a call on a context, and then that context here, has found the same communicator twice.
type freedContexts [6]atomic.Uint64

// NoteFreed notes that a rank has freed a communicator. The rank calls it, one goroutine at a time.
func NoteFreed(r *Root, rank int, context uint32) {
	r.waitMu.Lock()
	defer r.waitMu.Unlock()
	list := &r.block(rank).freed
	list[r.freed%len(list)].Store(uint64(context))
	r.freed++
}

// ForgetFreed undoes NoteFreed of a rank on this node: the context will be used again.
func ForgetFreed(r *Root, rank int, context uint32) {
	list := &r.block(rank).freed
	for i := range list {
		if list[i].Load() == uint64(context) {
			list[i].CompareAndSwap(uint64(context), 0)
		}
	}
}

// noteFreed notes which of those that a rank waits for have freed the communicator. All records were read before.
func (v *View) noteFreed(r *Root) {
	if c := v.part(); v.Waits && !c.begun && c.context != 0 {
		for _, rank := range v.For {
			list := &r.block(rank).freed
			for i := range list {
				if list[i].Load() == uint64(c.context) {
					v.freed = append(v.freed, rank)
				}
			}
		}
	}
}
