package coll

import "github.com/gopvas/gopvas/coll/cad"

// Op is an operator on elements of Size bytes. It must be associative. What inout holds
// comes from lower ranks than what in holds. Apply is called by any rank, for any part of
// the vectors; a panic of it becomes an *OpError on all members.
type Op = cad.Op

// apply calls the operator and takes note if it panics.
func (t *Team) apply(inout, in []byte) {
	if len(in) == 0 {
		return
	}
	defer t.catch()
	t.args.Op.Apply(inout, in)
}

func (t *Team) catch() {
	if v := recover(); v != nil {
		t.panicked = v
		t.note(faultOp | fault(t.world(t.Rank)))
	}
}

// note keeps the first fault.
func (t *Team) note(f fault) {
	if t.fault == 0 {
		t.fault = f
	}
}
