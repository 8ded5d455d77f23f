package coll

import "encoding/binary"

// agree finds out whether all members make the same call, and if not notes on all of
// them which does not. Member 0 hears all and tells the others.
func (t *Team) agree() bool {
	if t.Size == 1 {
		return true
	}
	kind := t.args.Kind
	t.args.Kind = None // the messages of the check are the same, whatever the call
	defer func() { t.args.Kind = kind }()
	all := make([]notice, t.Size)
	buf := make([]byte, (t.Size+1)*sayingSize) // messages are on the heap
	verdict := buf[t.Size*sayingSize:]
	t.args.say(kind, buf[t.Rank*sayingSize:])
	if t.Rank != 0 {
		t.send(0, buf[t.Rank*sayingSize:][:sayingSize])
	} else {
		for member := range t.Size {
			if member != 0 {
				t.recv(member, buf[member*sayingSize:][:sayingSize])
			}
			all[member].hear(buf[member*sayingSize:])
		}
		if odd := findOdd(t.Size, func(i int) *notice { return &all[i] }); odd >= 0 {
			copy(verdict, buf[odd*sayingSize:][:sayingSize])
			binary.LittleEndian.PutUint32(verdict[16:], uint32(odd)+1)
		}
	}
	t.down(verdict, 0)
	odd := binary.LittleEndian.Uint32(verdict[16:])
	if t.fault == 0 && t.broken == nil && odd != 0 {
		t.note(faultMismatch | fault(t.world(int(odd)-1)))
		t.odd.kind, t.odd.size, t.odd.known = Kind(verdict[0]), binary.LittleEndian.Uint64(verdict[8:]), true
	}
	return t.fault == 0 && t.broken == nil
}

// sayingSize is the length of what a member says about its call: kind, root, size, and
// in the verdict the member that it is about, plus one.
const sayingSize = 20

func (a *Args) say(kind Kind, b []byte) {
	b[0] = byte(kind)
	if a.Irregular {
		b[1] = 1
	}
	binary.LittleEndian.PutUint32(b[4:], uint32(a.Root))
	binary.LittleEndian.PutUint64(b[8:], uint64(a.sizeOf(kind)))
}

func (n *notice) hear(b []byte) {
	n.kind = uint32(b[0]) | uint32(b[1])*irregularBit
	n.root = binary.LittleEndian.Uint32(b[4:])
	n.size = binary.LittleEndian.Uint64(b[8:])
}

// findOdd returns which of so many calls is unlike most others, or refused; -1: all are
// alike.
func findOdd(n int, of func(int) *notice) int {
	for i := range n {
		if of(i).kind == uint32(refused) && !of(i).like(of((i+1)%n)) {
			return i
		}
	}
	return findOddOf(n, func(i, j int) bool { return of(i).like(of(j)) })
}

func findOddOf(n int, alike func(i, j int) bool) int {
	odd, fewest := -1, n
	for i := range n {
		same := 0
		for j := range n {
			if alike(i, j) {
				same++
			}
		}
		if same < fewest {
			odd, fewest = i, same
		}
	}
	return odd
}
