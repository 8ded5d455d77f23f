package file

import (
	"errors"
	"runtime"

	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/trace"
)

// DoAll is Do of all ranks of the file, each with its own access. All get an error, or none.
func (f *File) DoAll(a *Access) (int, error) {
	n, err := f.doAll(a)
	return n, f.wrap(a.op(), err)
}

// doAll is DoAll, counted and recorded.
func (f *File) doAll(a *Access) (int, error) {
	call := f.ranks.BeginTally(a.kind(trace.FileReadAll))
	n, err := f.doTogether(a)
	call.End(n, -1, err)
	return n, err
}

// doTogether is doAll. No rank returns before all are done: others may use its memory until then.
func (f *File) doTogether(a *Access) (int, error) {
	f.mu.Lock()
	p, bad := f.begin(a)
	if bad == nil && f.split != nil {
		bad = ErrSplit
	}
	f.mu.Unlock()
	if errors.Is(bad, ErrClosed) {
		return 0, bad // nobody meets on a file that is closed
	}
	ordered := a.Place.pointer == common
	next := int64(0)
	if ordered {
		all, err := f.tell(offer{Call: a.call(), Code: codeOf(bad), N: p.n}, bad)
		if err != nil {
			return 0, err
		}
		next, bad = f.order(all, &p)
	}
	if bad == nil {
		bad = p.fits(a.Write)
	}
	if bad == nil {
		bad = p.present()
	}
	offers, err := f.tell(offerOf(a, &p, bad), bad)
	if err != nil {
		return 0, err
	}
	if ordered && f.ranks.Rank() == 0 {
		f.shared.pointer().Store(next) // all have read it, and none goes on before the call ends
	}
	n, err := f.together(a.Write, &p, offers)
	err = f.agree(err)
	runtime.KeepAlive(a) // peers have used its memory up to here
	if err != nil {
		return 0, err
	}
	if a.Place.pointer == individual {
		f.mu.Lock()
		f.position = p.start + f.view.whole(n)
		f.mu.Unlock()
	}
	return int(n), nil
}

// order gives each rank its part of what follows the shared pointer, in the order of ranks. It returns where the
// pointer is afterwards.
func (f *File) order(all []offer, p *party) (next int64, err error) {
	next, err = f.common() // all ranks have come: none moves it alone
	for rank := range all {
		if rank == f.ranks.Rank() {
			p.start = next
		}
		next += all[rank].N
	}
	return next, err
}

// longExtent is how long the extents of a rank are from which on it moves its own: to do it for others gains nothing.
const longExtent = 64 << 10

// together moves the parts of all ranks, in whichever way is faster. All ranks find the same.
func (f *File) together(write bool, p *party, offers []offer) (int64, error) {
	if !f.worthIt(offers) {
		f.mu.Lock()
		defer f.mu.Unlock()
		return f.move(write, p)
	}
	size, err := sys.FileSize(f.mover.fd) // before: what comes to the file meanwhile may not be read
	if _, hi := touched(offers); write && err == nil {
		err = mayReach(hi) // those of others, too
	}
	parties, bad := f.parties(offers)
	if err = errors.Join(err, bad); f.nodes == nil && f.reach {
		err = errors.Join(err, f.domains(write, parties, offers, err != nil))
	} else if err = f.agree(err); err == nil { // else somebody would wait for messages
		err = f.newPhases(parties, offers).run(write)
	}
	if err != nil || write {
		return p.n, err
	}
	return p.before(size), nil
}

// worthIt tells whether ranks move bytes for one another: if several have something, in short extents that leave little
// of the file out.
func (f *File) worthIt(offers []offer) bool {
	if f.apart || f.Atomic() {
		return false
	}
	parties, total, short, words := 0, int64(0), false, int64(0)
	for i := range offers {
		if o := &offers[i]; o.N > 0 {
			if o.Alone {
				return false
			}
			parties++
			total += o.N
			short = short || o.Extent < longExtent
			words += o.View.N + o.Memory.N
		}
	}
	lo, hi := touched(offers)
	if words > mostWords && (f.nodes != nil || !f.direct) {
		return false
	}
	return parties > 1 && short && (hi-lo)/tooSpread <= total
}

// domains moves the part of the file that all ranks touch. A rank that has nothing to do claims the next domain. It
// goes on to claim after an error, so that the counter goes on by as much for each call.
func (f *File) domains(write bool, parties []party, offers []offer, failed bool) (err error) {
	lo, hi := touched(offers)
	first := lo - lo%f.mover.window
	size := f.mover.window * ((hi-first)/f.mover.window/mostDomains + 1)
	count := (hi - first + size - 1) / size
	pieces := f.byPieces(offers)
	for {
		i := f.shared.claims().Add(1) - 1 - f.shared.base
		if i >= count {
			break
		}
		if err == nil && !failed {
			f.mu.Lock()
			f.mover.write = write
			err = f.mover.domain(parties, max(lo, first+i*size), first+min((i+1)*size, hi-first), pieces)
			f.mu.Unlock()
		}
	}
	f.shared.base += count + int64(f.ranks.Size())
	return err
}

// mostDomains is into how many domains an access is cut at most.
const mostDomains = 1 << 16

// byPieces tells whether the kernel can read and write the memory of all ranks, in pieces that are long enough.
func (f *File) byPieces(offers []offer) bool {
	if !f.direct {
		return false
	}
	for i := range offers {
		if o := &offers[i]; o.N > 0 && (o.Extent < shortExtent || o.Scattered) {
			return false
		}
	}
	return true
}

// domain moves a part of the file for all ranks, from window to window. Parts that nobody has anything in are left out.
func (m *mover) domain(parties []party, lo, hi int64, pieces bool) error {
	one := m.oneWindow
	if pieces {
		one = m.byPiecesOfAll
	}
	for lo < hi {
		at, ok := next(parties, lo, hi)
		if !ok {
			return nil
		}
		end := at + min(hi-at, m.window-at%m.window) // windows begin at multiples of their size
		if err := one(parties, at, end); err != nil {
			return err
		}
		lo = end
	}
	return nil
}
