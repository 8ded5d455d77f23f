package net

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
func (m *Module) hand(p *peer, o *outgoing, d *device, b suci.Block) {
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
		m.refused(p, d)
	}
}

// refused is for a path by which nothing can be sent.
func (m *Module) refused(p *peer, d *device) {
	if p.others(d.number) {
		m.takeDown(p, d)
	}
}

// land notes that a block of n bytes was acknowledged, or never will be.
func (o *outgoing) land(n int, err error) {
	d := o.device
	d.end(n, err == nil)
	if err == nil {
		o.landed.Store(arrived)
		return
	}
	o.err = err
	o.landed.Store(crashed)
	d.m.disturbed.Store(true)
}

// again tells whether what a path has lost can be sent again now. If the peer does not answer by
// the last path, either, that is the end.
func (m *Module) again(p *peer, d *device, err error) bool {
	if errors.Is(err, suci.ErrLost) && !p.others(d.number) && !m.root.Gone(p.rank) {
		m.fail(m.unreachable(p, err))
	}
	return m.several() && !p.buried && p.usable() && m.failed.Load() == nil
}
