package comm

import (
	"encoding/binary"
	"sync"
	"sync/atomic"
)

// unit is what the status of a request is given in: the size of an element and the ranks of
// a communicator. A unit travels with the request as 32 bits. So a Request is no larger than
// the layer below needs it, and lists of requests are passed on as they are. For requests of
// the world the bits are the size. For others they are inTable and the index of a unit in a
// table.
//
// The table only grows, as requests outlive communicators. Equal units are one entry: there
// are as many as the program has different groups, times the sizes of elements that it
// receives in them.
type unit struct {
	size  int
	group *Group // nil: the job's ranks
}

const inTable = 1 << 31

var units struct {
	list atomic.Pointer[[]unit] // replaced, under mu, when it grows

	mu    sync.Mutex
	known map[string]uint32 // by size and ranks
}

// unit returns the bits for elements of this size received in m.
func (m *membership) unit(size int) uint32 {
	if m.ranks == nil && size < inTable {
		return uint32(size)
	}
	return m.tableUnit(size)
}

// tableUnit returns the bits of a unit that is in the table.
func (m *membership) tableUnit(size int) uint32 {
	m.units.mu.Lock()
	defer m.units.mu.Unlock()
	bits, ok := m.units.bits[size]
	if !ok {
		bits = register(unit{size, m.statusGroup()})
		if m.units.bits == nil {
			m.units.bits = map[int]uint32{}
		}
		m.units.bits[size] = bits
	}
	return bits
}

// unitCache are the units of a communicator that the table has.
type unitCache struct {
	mu   sync.Mutex
	bits map[int]uint32 // by size
}

// register returns the bits of a unit, which it adds to the table if it is new.
func register(u unit) uint32 {
	key := binary.LittleEndian.AppendUint64(nil, uint64(u.size))
	if u.group != nil {
		for _, rank := range u.group.ranks {
			key = binary.LittleEndian.AppendUint32(key, uint32(rank))
		}
	}
	units.mu.Lock()
	defer units.mu.Unlock()
	if bits, ok := units.known[string(key)]; ok {
		return bits
	}
	var list []unit
	if old := units.list.Load(); old != nil {
		list = *old
	} else {
		units.known = map[string]uint32{}
	}
	bits := inTable | uint32(len(list))
	list = append(list, u) // readers of the old list do not look beyond its end
	units.list.Store(&list)
	units.known[string(key)] = bits
	return bits
}

// unitOf returns the unit of these bits.
func unitOf(bits uint32) unit {
	if bits&inTable == 0 {
		return unit{size: int(bits)}
	}
	return (*units.list.Load())[bits&^inTable]
}
