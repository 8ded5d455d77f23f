package coll

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/gopvas/gopvas/internal/msg/coll/colltest"
	"github.com/gopvas/gopvas/internal/msg/coll/operator"
)

// The naive model: every member computes what all members have, and from that what
// it should get, in the most obvious way. All of it follows from one seed.

// operators are those of trials. All but the first tell orders apart.
var operators = []*Op{sum, colltest.Strict, colltest.Floats, operator.Of(operator.Sum, operator.Float64)}

// sum is bytes.
var sum = &Op{Size: 1, Commutative: true, Exact: true, Symmetric: true, Apply: func(inout, in []byte) {
	for i := range in {
		inout[i] += in[i]
	}
}}

// draw is the source of all that the members agree about.
type draw struct{ *rand.Rand }

func newDraw(seed uint64) draw { return draw{rand.New(rand.NewPCG(seed, 4))} }

// length is mostly short, sometimes nothing, now and then long.
func (d draw) length(most int) int {
	if most > 1<<20 { // what is short has been tried elsewhere
		return most - d.IntN(4)*d.IntN(most/4)
	}
	switch d.IntN(8) {
	case 0:
		return 0
	case 1, 2, 3:
		return 1 + d.IntN(32)
	case 4, 5:
		return 1 + d.IntN(min(most, 5000))
	}
	return 1 + d.IntN(most)
}

// bytes returns what a member has.
func (d draw) bytes(n int) []byte {
	b := make([]byte, n)
	for i := 0; i < n; i += 8 {
		x := d.Uint64()
		for j := i; j < min(n, i+8); j++ {
			b[j] = byte(x >> (8 * (j - i)))
		}
	}
	return b
}

// operand returns what a member has for an operator, or if there is none.
func (d draw) operand(op *Op, n int) []byte {
	if op == nil || op.Size != 8 {
		return d.bytes(n)
	}
	return colltest.Numbers(d.Rand, n)
}

// trial is one call with what must come of it.
type trial struct {
	Args
	want []byte // of Recv.Data
	text string

	taken []byte // what was in Recv.Data when After was called
}

// plot makes the trial of one member.
func plot(d draw, kind Kind, size, me, most int) *trial {
	x := &trial{Args: Args{Kind: kind, Root: d.IntN(size)}}
	if kind.reduces() {
		x.Op = operators[d.IntN(len(operators))]
	}
	x.InPlace = d.IntN(3) == 0 && kind != Barrier && kind != Bcast
	n := d.length(most)
	if x.Op != nil {
		n = n / x.Op.Size * x.Op.Size
	}
	x.text = fmt.Sprintf("%v of %d bytes, root %d, in place %v", kind, n, x.Root, x.InPlace)
	switch kind {
	case Barrier:
	case Bcast, Reduce, Allreduce, Scan, Exscan:
		x.vectors(d, n, size, me)
	case ReduceScatter:
		x.reduceScatter(d, n, size, me)
	default:
		x.blocks(d, n/size, size, me)
	}
	switch typed := !kind.reduces() && kind != Barrier && d.IntN(3) == 0; {
	case typed:
		x.Mixed = d.IntN(2) == 0
		if own := (draw{rand.New(rand.NewPCG(d.Uint64(), uint64(me)))}); !x.Mixed || own.IntN(2) == 0 {
			x.spread(own, size, me)
		}
	case d.IntN(3) == me%3:
		x.passThrough()
	}
	return x
}

// passThrough has the data come into the buffers and leave them by hooks: before and after
// that they hold something else.
func (x *trial) passThrough() {
	send, recv := slices.Clone(x.Send.Data), slices.Clone(x.Recv.Data)
	x.want = slices.Clone(x.want)       // which may be one of them
	out, in := x.Send.Data, x.Recv.Data // of the program
	spoil := func() { clear(out); clear(in) }
	spoil()
	x.Before = func() { copy(out, send); copy(in, recv) }
	x.After = func() { x.taken = slices.Clone(in); spoil() }
}

// vectors is the kinds whose members all have one vector of a length.
func (x *trial) vectors(d draw, n, size, me int) {
	all := make([][]byte, size)
	for i := range all {
		all[i] = d.operand(x.Op, n)
	}
	own, result := all[me], []byte(nil)
	switch x.Kind {
	case Bcast:
		x.Send.Data, x.want = own, all[x.Root]
		x.Recv.Data = own
		return
	case Scan:
		result = colltest.T(x.Op, all[:me+1])
	case Exscan:
		result = colltest.T(x.Op, all[:max(me, 1)])
	default:
		result = colltest.T(x.Op, all)
	}
	x.want = result
	if x.Kind == Exscan && me == 0 {
		x.want = nil // of no meaning
	}
	if x.Kind == Reduce && me != x.Root {
		x.InPlace, x.want = false, nil
		x.Send.Data = slices.Clone(own)
		return
	}
	x.Recv.Data = make([]byte, n)
	if x.InPlace {
		copy(x.Recv.Data, own)
	} else {
		x.Send.Data = own
	}
}

func (x *trial) reduceScatter(d draw, n, size, me int) {
	var counts, displs []int
	at := 0
	for range size {
		c := d.IntN(n/size + 1)
		if c = c / x.Op.Size; d.IntN(5) == 0 {
			c = 0
		}
		counts, displs = append(counts, c), append(displs, at)
		at += c
	}
	if d.IntN(2) == 0 {
		for i := range counts {
			counts[i], displs[i] = counts[0], i*counts[0]
		}
		at = size * counts[0]
		x.Send.Block = counts[0] * x.Op.Size
	} else {
		x.Send.Counts, x.Send.Displs, x.Send.Unit = counts, displs, x.Op.Size
	}
	n = at * x.Op.Size
	all := make([][]byte, size)
	for i := range all {
		all[i] = d.operand(x.Op, n)
	}
	result := colltest.T(x.Op, all)
	x.want = result[displs[me]*x.Op.Size:][:counts[me]*x.Op.Size]
	if x.InPlace {
		x.Recv.Data = all[me]
	} else {
		x.Send.Data, x.Recv.Data = all[me], make([]byte, len(x.want))
	}
}

// blocks is the kinds that move blocks: sizes[i][j] bytes from member i to member j.
func (x *trial) blocks(d draw, most, size, me int) {
	x.Irregular = d.IntN(2) == 0
	unit := 1 + d.IntN(3)
	regular := most / unit
	content := make([][][]byte, size)
	for i := range size {
		perSource := d.IntN(regular + 1)
		for range size {
			n := regular
			switch {
			case x.Irregular && x.Kind == Alltoall && x.InPlace:
				n = regular / 2 // the two directions of a pair are as long
			case x.Irregular && x.Kind != Allgather && x.Kind != Gather:
				n = d.IntN(regular + 1)
			case x.Irregular:
				n = perSource
			}
			content[i] = append(content[i], d.bytes(n*unit))
		}
	}
	one := func(i, j int) []byte { // what member i has for j
		switch x.Kind {
		case Gather, Allgather:
			return content[i][0]
		}
		return content[i][j]
	}
	sends, receives := x.Kind == Alltoall || x.Kind == Scatter && me == x.Root, x.Kind == Alltoall ||
		x.Kind == Allgather || me == x.Root && x.Kind == Gather
	gap := d.IntN(3)
	if sends {
		x.Send = lay(size, unit, regular, x.Irregular, gap, func(i int) []byte { return one(me, i) })
	} else {
		x.Send.Data = one(me, 0)
	}
	if !receives {
		if x.Kind == Scatter {
			x.want = one(x.Root, me)
			x.Recv.Data = make([]byte, len(x.want))
			if me == x.Root && x.InPlace {
				x.want, x.Recv.Data = nil, nil
			}
		}
		x.InPlace = x.InPlace && me == x.Root && x.Kind == Scatter
		return
	}
	x.Recv = lay(size, unit, regular, x.Irregular, gap, func(i int) []byte { return one(i, me) })
	x.want = x.Recv.Data
	x.Recv.Data = make([]byte, len(x.want))
	switch {
	case x.InPlace && x.Kind == Alltoall:
		x.Recv.Data, x.Send = x.Send.Data, Buffer{}
	case x.InPlace:
		copy(x.Recv.Part(me), one(me, 0))
		x.Send = Buffer{}
	}
}

// lay makes a buffer of blocks, in reverse order with gaps if they are irregular.
func lay(size, unit, regular int, irregular bool, gap int, block func(int) []byte) (b Buffer) {
	b.Block, b.Unit = regular*unit, unit
	var order []int
	for i := range size {
		order = append(order, i)
	}
	if irregular {
		slices.Reverse(order)
		b.Counts, b.Displs = make([]int, size), make([]int, size)
	}
	at := 0
	for _, i := range order {
		if irregular {
			b.Counts[i], b.Displs[i] = len(block(i))/unit, at/unit
		}
		b.Data = append(b.Data, block(i)...)
		at += len(block(i))
		if irregular {
			b.Data = append(b.Data, make([]byte, gap*unit)...)
			at += gap * unit
		}
	}
	return b
}

// attempt makes the call and compares.
func (x *trial) attempt(t *Team) error {
	err := t.Run(&x.Args)
	return x.judge(t, t.Last(), err)
}

// judge says what is wrong with what a call by an algorithm has led to.
func (x *trial) judge(t *Team, algorithm string, err error) error {
	if err != nil {
		return fmt.Errorf("%s by %s: %w", x.text, algorithm, err)
	}
	if x.want == nil {
		return nil
	}
	all := x.Recv.Data
	if x.After != nil {
		all = x.taken
	}
	if have := all[:min(len(all), len(x.want))]; !bytes.Equal(have, x.want) {
		i := 0
		for i < len(have) && have[i] == x.want[i] {
			i++
		}
		return fmt.Errorf("%s by %s, irregular %v: %d members, %d of %d bytes are right",
			x.text, algorithm, x.Irregular, t.Size, i, len(x.want))
	}
	return nil
}
