package devices

import (
	"errors"
	"sync/atomic"

	"github.com/gopvas/gopvas/suci"
)

// outgoing is a block that was handed to the endpoint of a device: a message, or a piece. If the
// device fails, the block goes again by another.
//
//	in the air --acknowledged--> arrived
//	    ^   +------------------> crashed --again--+
//	    +-----------------------------------------+
//
// The goroutine that drives the endpoint calls done, which calls land: that writes err, then
// landed. The rank writes all other fields, and none while the block is in the air.
type outgoing struct {
	set    *Set // never changes
	device *device
	err    error // why it has crashed
	landed atomic.Uint32
	done   func(error)
}

// The states of a block.
const (
	inAir = iota
	arrived
	crashed
)

// hand hands a block for a peer to a device.
func (s *Set) hand(p *Peer, o *outgoing, d *device, b suci.Block) {
	o.device = d
	o.landed.Store(inAir)
	d.begin(len(b.Data))
	handle := p.paths[d.number].handle
	if handle == nil {
		o.done(suci.ErrGone)
		return
	}
	if err := handle.Start(b, o.done); err != nil {
		o.done(err)
		s.refused(p, d)
	}
}

// refused is for a path by which nothing can be sent.
func (s *Set) refused(p *Peer, d *device) {
	if p.others(d.number) {
		s.TakeDown(p, d.number)
	}
}

// land notes that a block of n bytes was acknowledged, or never will be.
func (o *outgoing) land(n int, err error) {
	s := o.set
	o.device.end(n, err == nil)
	if err == nil {
		o.landed.Store(arrived)
		return
	}
	o.err = err
	o.landed.Store(crashed)
	s.disturbed.Store(true)
}

// again tells whether what a path has lost can be sent again now. If the peer does not answer by
// the last path, either, that is the end.
func (s *Set) again(p *Peer, d *device, err error) bool {
	if errors.Is(err, suci.ErrLost) && !p.others(d.number) && !s.root.Gone(p.rank) {
		s.Fail(p, err)
	}
	return s.Several() && !p.buried && p.usable() && p.failed.Load() == nil
}
