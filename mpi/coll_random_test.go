package mpi

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"

	"github.com/gopvas/gopvas/internal/test/testkit"
)

// randomCalls makes collective calls of random operations, element types, lengths and
// roots, on communicators of all kinds, and compares with what a naive model says. Errors
// name the seed.
func randomCalls(c *Comm) error {
	seed, err := seedOfAll(c)
	if err != nil {
		return err
	}
	comms, err := someComms(c)
	if err != nil {
		return err
	}
	calls := 120
	if testkit.Race || c.Size() > 8 {
		calls = 30
	}
	for i := range calls {
		d := rand.New(rand.NewPCG(seed, uint64(i)))
		comm := comms[d.IntN(len(comms))]
		if err := randomCall(comm, d); err != nil {
			return fmt.Errorf("call %d, TEST_SEED=%d: %w", i, seed, err)
		}
	}
	for _, comm := range comms[1:] {
		if err := comm.Free(); err != nil {
			return err
		}
	}
	return nil
}

// seedOfAll is a seed for what all ranks of c do alike: that of TEST_SEED on rank 0, else a new one.
func seedOfAll(c *Comm) (uint64, error) {
	seed := []uint64{rand.Uint64()}
	if s := os.Getenv(testkit.EnvSeed); s != "" {
		var err error
		if seed[0], err = strconv.ParseUint(s, 10, 64); err != nil {
			return 0, err
		}
	}
	err := Bcast(c, seed, 0)
	return seed[0], err
}

// someComms returns c, a copy, its ranks in reverse, halves, and parts of the reverse.
func someComms(c *Comm) ([]*Comm, error) {
	dup, err := c.Dup()
	if err != nil {
		return nil, err
	}
	reversed, err := dup.Split(0, -c.Rank())
	if err != nil {
		return nil, err
	}
	half, err := c.Split(c.Rank()%2, c.Rank())
	if err != nil {
		return nil, err
	}
	part, err := reversed.Split(reversed.Rank()/3, -reversed.Rank())
	return []*Comm{c, dup, reversed, half, part}, err
}

// randomCall makes a call with elements of one type or another. Sums of the floating
// point numbers are exact, so that their order plays no part.
func randomCall(c *Comm, d *rand.Rand) error {
	type pixel struct {
		X   int16
		RGB [3]uint8
	}
	mix := func(a, b pixel) pixel {
		return pixel{max(a.X, b.X), [3]uint8{a.RGB[0] ^ b.RGB[0], a.RGB[1] + b.RGB[1], min(a.RGB[2], b.RGB[2])}}
	}
	switch d.IntN(7) {
	case 0:
		return callOn(c, d, Sum[int8](), func(a, b int8) int8 { return a + b }, func(x uint64) int8 { return int8(x) })
	case 1:
		return callOn(c, d, BXor[uint16](), func(a, b uint16) uint16 { return a ^ b },
			func(x uint64) uint16 { return uint16(x) })
	case 2:
		return callOn(c, d, Max[int32](), func(a, b int32) int32 { return max(a, b) },
			func(x uint64) int32 { return int32(x) })
	case 3:
		return callOn(c, d, Sum[float64](), func(a, b float64) float64 { return a + b },
			func(x uint64) float64 { return float64(x % 1000) })
	case 4:
		return callOn(c, d, Sum[complex128](), func(a, b complex128) complex128 { return a + b },
			func(x uint64) complex128 { return complex(float64(x%100), float64(x%77)) })
	case 5:
		return callOn(c, d, each(mix), mix, func(x uint64) pixel {
			return pixel{int16(x), [3]uint8{uint8(x >> 20), uint8(x >> 30), uint8(x >> 40)}}
		})
	}
	return callOn(c, d, join2, joined, func(x uint64) affine { return affine{uint32(x), uint32(x >> 32)} })
}

// model is a call and what every rank has before and after it.
type model[T comparable] struct {
	*rand.Rand
	c       *Comm
	op      *Op[T]
	join    func(a, b T) T
	of      func(uint64) T
	salt    uint64
	root    int
	inPlace bool
}

func callOn[T comparable](c *Comm, d *rand.Rand, op *Op[T], join func(a, b T) T, of func(uint64) T) error {
	m := &model[T]{d, c, op, join, of, d.Uint64(), d.IntN(c.Size()), d.IntN(3) == 0}
	calls := []struct {
		name string
		call func(n int) error
	}{
		{"bcast", m.bcast}, {"reduce", m.reduce}, {"allreduce", m.allreduce}, {"scan", m.scan}, {"exscan", m.exscan},
		{"reduce_scatter", m.reduceScatter}, {"gatherv", m.gatherv}, {"scatterv", m.scatterv},
		{"gather and scatter", m.gatherScatter}, {"allgather", m.allgather}, {"allgatherv", m.allgatherv},
		{"alltoall", m.alltoall}, {"alltoallv", m.alltoallv}, {"alltoallw", m.alltoallw},
	}
	k := calls[d.IntN(len(calls))]
	n := m.length()
	if err := k.call(n); err != nil {
		return fmt.Errorf("%s of %d elements of type %T, root %d of %d, in place %v: %w", k.name, n, *new(T), m.root,
			c.Size(), m.inPlace, err)
	}
	return nil
}

// length is how many elements a rank has: mostly few, seldom megabytes.
func (m *model[T]) length() int {
	size, _ := elementSize[T]()
	switch m.IntN(10) {
	case 0:
		return 0
	case 1, 2, 3:
		return m.IntN(20)
	case 9:
		if m.c.Size() <= 6 && m.IntN(3) == 0 && !testkit.Race {
			return m.IntN(4<<20/size + 1)
		}
	}
	return m.IntN(3000)
}

// has returns n elements of a rank.
func (m *model[T]) has(rank, n int) []T {
	d := rand.NewPCG(m.salt, uint64(rank))
	return upTo(n, func(int) T { return m.of(d.Uint64()) })
}

// block is what a rank has for another.
func (m *model[T]) block(from, to, n int) []T { return m.has(from*m.c.Size()+to+1000, n) }

// joined combines what the first ranks have.
func (m *model[T]) joined(ranks, n int) []T {
	sum := m.has(0, n)
	for rank := 1; rank < ranks; rank++ {
		for i, x := range m.has(rank, n) {
			sum[i] = m.join(sum[i], x)
		}
	}
	return sum
}

// buffers returns what to send and where to receive n elements: in place, or not.
func (m *model[T]) buffers(n int) (send, recv []T) {
	mine := m.has(m.c.Rank(), n)
	if m.inPlace {
		return nil, mine
	}
	return mine, make([]T, n)
}

func (m *model[T]) bcast(n int) error {
	buf := m.has(m.c.Rank(), n)
	return first(Bcast(m.c, buf, m.root), eq("buffer", buf, m.has(m.root, n)))
}

func (m *model[T]) reduce(n int) error {
	if m.c.Rank() != m.root {
		return Reduce(m.c, m.has(m.c.Rank(), n), nil, m.op, m.root)
	}
	send, recv := m.buffers(n)
	return first(Reduce(m.c, send, recv, m.op, m.root), eq("result", recv, m.joined(m.c.Size(), n)))
}

func (m *model[T]) allreduce(n int) error {
	send, recv := m.buffers(n)
	return first(Allreduce(m.c, send, recv, m.op), eq("result", recv, m.joined(m.c.Size(), n)))
}

func (m *model[T]) scan(n int) error {
	send, recv := m.buffers(n)
	return first(Scan(m.c, send, recv, m.op), eq("result", recv, m.joined(m.c.Rank()+1, n)))
}

func (m *model[T]) exscan(n int) error {
	send, recv := m.buffers(n)
	err := Exscan(m.c, send, recv, m.op)
	if m.c.Rank() == 0 {
		return err // nothing is said about the buffer
	}
	return first(err, eq("result", recv, m.joined(m.c.Rank(), n)))
}

// counts returns a length for each rank, some 0, of n in all at most.
func (m *model[T]) counts(n int) []int {
	return upTo(m.c.Size(), func(int) int { return m.IntN(n/m.c.Size()+1) * min(1, m.IntN(5)) })
}

func (m *model[T]) reduceScatter(n int) error {
	counts, block := m.counts(n), m.IntN(2) == 0
	if block {
		counts = upTo(m.c.Size(), func(int) int { return n / m.c.Size() })
	}
	displs := dense(counts)
	me, last := m.c.Rank(), m.c.Size()-1
	n = displs[last] + counts[last]
	send, recv := m.buffers(n)
	if !m.inPlace {
		recv = recv[:counts[me]]
	}
	var err error
	if block {
		err = ReduceScatterBlock(m.c, send, recv, m.op)
	} else {
		err = ReduceScatter(m.c, send, recv, counts, m.op)
	}
	return first(err, eq("result", recv[:counts[me]], m.joined(m.c.Size(), n)[displs[me]:][:counts[me]]))
}

// laid puts blocks into a buffer, in an order of its own and with gaps.
func (m *model[T]) laid(counts []int, block func(rank int) []T) (buf []T, displs []int) {
	displs = make([]int, len(counts))
	for _, rank := range m.Perm(len(counts)) {
		buf = append(buf, make([]T, m.IntN(3))...)
		displs[rank] = len(buf)
		buf = append(buf, block(rank)...)
	}
	return buf, displs
}

func (m *model[T]) gatherv(n int) error {
	counts, me := m.counts(n), m.c.Rank()
	want, displs := m.laid(counts, func(rank int) []T { return m.has(rank, counts[rank]) })
	send, recv := m.has(me, counts[me]), make([]T, len(want))
	if m.inPlace && me == m.root {
		copy(recv[displs[me]:], send)
		send = nil
	}
	err := Gatherv(m.c, send, recv, counts, displs, m.root)
	if me != m.root {
		return err
	}
	return first(err, eq("gathered", recv, want))
}

func (m *model[T]) scatterv(n int) error {
	counts, me := m.counts(n), m.c.Rank()
	laid, displs := m.laid(counts, func(rank int) []T { return m.has(rank, counts[rank]) })
	recv := make([]T, counts[me])
	if m.inPlace && me == m.root {
		return first(Scatterv(m.c, laid, counts, displs, nil, m.root),
			eq("own part", laid[displs[me]:][:counts[me]], m.has(me, counts[me])))
	}
	return first(Scatterv(m.c, laid, counts, displs, recv, m.root), eq("part", recv, m.has(me, counts[me])))
}

func (m *model[T]) gatherScatter(n int) error {
	n /= m.c.Size()
	me := m.c.Rank()
	all := make([]T, n*m.c.Size())
	if err := Gather(m.c, m.has(me, n), all, m.root); err != nil {
		return err
	}
	mine := make([]T, n)
	return first(Scatter(m.c, all, mine, m.root), eq("there and back", mine, m.has(me, n)))
}

func (m *model[T]) allgather(n int) error {
	n /= m.c.Size()
	me := m.c.Rank()
	var want []T
	for rank := range m.c.Size() {
		want = append(want, m.has(rank, n)...)
	}
	send, recv := m.has(me, n), make([]T, len(want))
	if m.inPlace {
		copy(recv[me*n:], send)
		send = nil
	}
	return first(Allgather(m.c, send, recv), eq("all", recv, want))
}

func (m *model[T]) allgatherv(n int) error {
	counts, me := m.counts(n), m.c.Rank()
	want, displs := m.laid(counts, func(rank int) []T { return m.has(rank, counts[rank]) })
	send, recv := m.has(me, counts[me]), make([]T, len(want))
	if m.inPlace {
		copy(recv[displs[me]:], send)
		send = nil
	}
	return first(Allgatherv(m.c, send, recv, counts, displs), eq("all", recv, want))
}

func (m *model[T]) alltoall(n int) error {
	n /= m.c.Size()
	me := m.c.Rank()
	var send, want []T
	for rank := range m.c.Size() {
		send = append(send, m.block(me, rank, n)...)
		want = append(want, m.block(rank, me, n)...)
	}
	if m.inPlace {
		return first(Alltoall(m.c, nil, send), eq("blocks", send, want))
	}
	recv := make([]T, len(want))
	return first(Alltoall(m.c, send, recv), eq("blocks", recv, want))
}

// between returns how many elements go from any rank to any.
func (m *model[T]) between(n int) [][]int {
	lengths := upTo(m.c.Size(), func(int) []int { return m.counts(n) })
	for i := range lengths {
		for j := range i {
			if m.inPlace { // the two directions are as long
				lengths[i][j] = lengths[j][i]
			}
		}
	}
	return lengths
}

// twoWays returns what this rank sends and what it receives, with their layouts.
func (m *model[T]) twoWays(n int) (send, want []T, sends, receives, sendAt, receiveAt []int) {
	lengths, me := m.between(n), m.c.Rank()
	sends = lengths[me]
	receives = upTo(m.c.Size(), func(rank int) int { return lengths[rank][me] })
	send, sendAt = m.laid(sends, func(rank int) []T { return m.block(me, rank, sends[rank]) })
	want, receiveAt = m.laid(receives, func(rank int) []T { return m.block(rank, me, receives[rank]) })
	return send, want, sends, receives, sendAt, receiveAt
}

func (m *model[T]) alltoallv(n int) error {
	send, want, sends, receives, sendAt, receiveAt := m.twoWays(n)
	if m.inPlace {
		if err := Alltoallv(m.c, nil, nil, nil, send, sends, sendAt); err != nil {
			return err
		}
		for rank, at := range sendAt {
			if err := eq("block", send[at:][:sends[rank]], m.block(rank, m.c.Rank(), sends[rank])); err != nil {
				return err
			}
		}
		return nil
	}
	recv := make([]T, len(want))
	return first(Alltoallv(m.c, send, sends, sendAt, recv, receives, receiveAt), eq("blocks", recv, want))
}

// alltoallw sends what alltoallv does, whose blocks are laid out in any order.
func (m *model[T]) alltoallw(n int) error {
	send, want, sends, receives, sendAt, receiveAt := m.twoWays(n)
	recv := make([]T, len(want))
	views := func(buf []T, counts, at []int) []View[T] {
		return upTo(m.c.Size(), func(rank int) View[T] {
			return Indexed(buf, []int{counts[rank] / 2, counts[rank] - counts[rank]/2},
				[]int{at[rank], at[rank] + counts[rank]/2})
		})
	}
	if m.inPlace {
		recv = slices.Clone(send)
		both := views(recv, sends, sendAt)
		return first(Alltoallw(m.c, nil, both), Alltoallw(m.c, nil, both), eq("there and back", recv, send))
	}
	ways := []func(c *Comm, send, recv []View[T]) error{Alltoallw[T],
		func(c *Comm, send, recv []View[T]) error { return result(Ialltoallw(c, send, recv)) },
		func(c *Comm, send, recv []View[T]) error {
			r, err := AlltoallwInit(c, send, recv)
			return first(err, r.Start(), result(r, nil), r.Free())
		}}
	way := ways[m.IntN(len(ways))]
	return first(way(m.c, views(send, sends, sendAt), views(recv, receives, receiveAt)), eq("blocks", recv, want))
}

// each makes a commutative operator of a function of two elements.
func each[T any](f func(a, b T) T) *Op[T] {
	return NewOp(func(inout, in []T) {
		in = in[:len(inout)]
		for i := range inout {
			inout[i] = f(inout[i], in[i])
		}
	}, true)
}
