package order

// Halves are the two halves of a block, as seen by a member of one of them, in graphs of messages.
type Halves struct {
	first  int // member of the block
	half   int // members of the left half
	right  int // members of the right half; 0: there are none
	member int
}

// At returns the halves of a member's block of 2*half, of so many members in all.
func At(member, half, members int) Halves {
	first := member &^ (2*half - 1)
	return Halves{first: first, half: half, right: max(0, min(half, members-first-half)), member: member}
}

// Meet tells whether both halves have members.
func (h Halves) Meet() bool { return h.right > 0 }

// Left tells whether the member is in the left half.
func (h Halves) Left() bool { return h.member < h.first+h.half }

// Givers and takers of the halves. A member of the left half has one partner in the right half. A member of a right
// half that is shorter is the partner of several.

// Partner is the member of the other half that gives its half's vector to this member.
func (h Halves) Partner() int {
	if h.Left() {
		return h.first + h.half + (h.member-h.first)%h.right
	}
	return h.member - h.half
}

// Partners calls f for the members of the other half that this member gives its half's vector to.
func (h Halves) Partners(f func(member int)) {
	switch i := h.member - h.first; {
	case !h.Left():
		for i -= h.half; i < h.half; i += h.right {
			f(h.first + i)
		}
	case i < h.right:
		f(h.member + h.half)
	}
}

// Holders returns the members that have the vectors of the two halves in a reduction to a root: the root if it is in
// the half, else its first member.
func (h Halves) Holders(root int) (left, right int) {
	left, right = h.first, h.first+h.half
	switch {
	case root >= h.first && root < right:
		left = root
	case root >= right && root < right+h.half:
		right = root
	}
	return left, right
}
