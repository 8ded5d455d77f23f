package capi

import (
	"math"

	"github.com/gopvas/gopvas/internal/comm"
)

// Comm_get_attr is MPI_Comm_get_attr. The predefined attributes are those of all communicators, but
// for the Sessions Model, which has MPI_TAG_UB only.
func (p *Process) Comm_get_attr(on *communicator, key int, value Ptr[Address], flag Ref, as Language) error {
	if key >= TAG_UB && key <= UNIVERSE_SIZE {
		v, ok := p.predefinedAttribute(key)
		if ok = ok && (key == TAG_UB || !on.sessions); ok {
			wantedValue{value, as}.set(v)
		}
		flag.SetBool(ok)
		return nil
	}
	return p.getAttribute(kindComm, &on.attributes, key, wantedValue{value, as}, flag)
}

// predefinedAttribute returns the value of a predefined attribute; ok tells whether there is one.
func (p *Process) predefinedAttribute(key int) (v attributeValue, ok bool) {
	value := 0
	switch key {
	case TAG_UB:
		value = comm.MaxTag
	case IO:
		value = ANY_SOURCE // every rank
	case HOST:
		value = PROC_NULL
	case WTIME_IS_GLOBAL:
	case LASTUSEDCODE:
		value = p.codes.lastUsed()
	case UNIVERSE_SIZE:
		value = p.world.c.Size()
	default:
		return v, false // MPI_APPNUM
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.predefined == nil {
		p.predefined = newCells(UNIVERSE_SIZE - TAG_UB + 1)
	}
	cell := (*[1]uint64)(p.predefined[key-TAG_UB:])
	cell[0] = uint64(min(value, math.MaxInt32))
	return attributeValue{set: inInteger, integer: cell}, true
}
