package timed

import (
	"slices"

	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/lab/bench/rankside"
	"github.com/gopvas/gopvas/mpi"
)

// The benchmarks of data that does not lie in one piece. runner/peer/layout.c has the same in C.
const (
	matrixColumns = 4096 // of column
	gridColumns   = 66   // of halo, with a column of the neighbours' on either side
	recordBytes   = 33   // of a record of struct, without its gaps
)

// A record is an element of struct.
type record struct {
	a int32
	b [3]float64
	c [5]int8
}

const recordExtent = 40 // of a record, with its gaps

// A layout is one benchmark of messages, and the plain loop that copies the same elements.
// Both return a step, which has so many units.
type layout struct {
	message func(world *mpi.Comm, n int) (step func() error, err error)
	loop    func(ranks, n int) (step func())
	units   float64
}

var layouts = map[string]layout{
	"column":    {columnMessage, columnLoop, 2}, // half a round trip
	"struct":    {structMessage, structLoop, 2},
	"halo":      {haloMessage, haloLoop, 1},
	"transpose": {transposeMessage, transposeLoop, 1},
}

// layoutRankMain is the rank program; its arguments are those of runner/peer/layout.c.
func layoutRankMain(args []string) {
	rankside.TimedRank(args, layouts, func(world *mpi.Comm, l layout, n int, limits rankside.Pace) error {
		step, err := l.message(world, n)
		if err != nil {
			return err
		}
		return rankside.TimedBlocks(world, n, l.units, rankside.Blocks, limits, step)
	})
}

// loopRankMain is the rank program of runner.Loop: rank 0 copies, the others wait.
func loopRankMain(args []string) {
	rankside.TimedRank(args, layouts, func(world *mpi.Comm, l layout, n int, limits rankside.Pace) error {
		if world.Rank() > 0 {
			return rankside.TimedBlocks(world, n, l.units, rankside.Blocks, limits, func() error { return nil })
		}
		step := l.loop(world.Size(), n)
		return rankside.TimedBlocks(world, n, l.units, rankside.Blocks, limits, func() error {
			step()
			return nil
		})
	})
}

// numbers returns n numbers, all pages of which are there.
func numbers(n int) []float64 { return slices.Repeat([]float64{1}, n) }

// pingPong returns the step of ranks 0 and 1 that send a view to and fro.
func pingPong[T any](world *mpi.Comm, v mpi.View[T]) func() error {
	peer := 1 - world.Rank()
	send := func() error { return v.Send(world, peer, rankside.DataTag) }
	recv := func() error {
		_, err := v.Recv(world, peer, rankside.DataTag)
		return err
	}
	first, second := send, recv
	if world.Rank() == 1 {
		first, second = recv, send
	}
	return func() error {
		if err := first(); err != nil {
			return err
		}
		return second()
	}
}

// idle is the step of ranks that take no part.
func idle() error { return nil }

// columnShape returns how many rows and columns a message of column has.
func columnShape(n int) (rows, columns int) {
	elements := n / 8
	return min(elements, matrixColumns), (elements + matrixColumns - 1) / matrixColumns
}

func columnMessage(world *mpi.Comm, n int) (func() error, error) {
	if world.Rank() > 1 {
		return idle, nil
	}
	rows, columns := columnShape(n)
	m := numbers(rows * matrixColumns)
	v := mpi.Vector(m, rows, 1, matrixColumns)
	if columns > 1 {
		v = mpi.Strided(m, []int{columns, rows}, []int{1, matrixColumns})
	}
	return pingPong(world, v), v.Err()
}

func columnLoop(_, n int) func() {
	rows, columns := columnShape(n)
	a, b := numbers(rows*matrixColumns), numbers(rows*matrixColumns)
	copyColumns := func(to, from []float64) {
		for j := range columns {
			for i := range rows {
				to[i*matrixColumns+j] = from[i*matrixColumns+j]
			}
		}
	}
	return func() {
		copyColumns(b, a)
		copyColumns(a, b)
	}
}

func structMessage(world *mpi.Comm, n int) (func() error, error) {
	if world.Rank() > 1 {
		return idle, nil
	}
	t, err := recordType()
	if err != nil {
		return nil, err
	}
	count := n / recordBytes
	v := mpi.Typed(rankside.Touched(count*recordExtent), t, count)
	return pingPong(world, v), v.Err()
}

// recordType is the datatype of a record.
func recordType() (*datatype.Type, error) {
	t, err := datatype.Struct([]int64{1, 3, 5}, []int64{0, 8, 32},
		[]*datatype.Type{datatype.Int32, datatype.Float64, datatype.Int8})
	if err != nil {
		return nil, err
	}
	return datatype.Resized(t, 0, recordExtent)
}

func structLoop(_, n int) func() {
	a := slices.Repeat([]record{{a: 1}}, n/recordBytes)
	b := slices.Clone(a)
	copyRecords := func(to, from []record) {
		for i := range from {
			to[i].a = from[i].a
			to[i].b = from[i].b
			to[i].c = from[i].c
		}
	}
	return func() {
		copyRecords(b, a)
		copyRecords(a, b)
	}
}

// haloMessage has each rank send the outer columns of its grid to its neighbours in a ring,
// which have a column for each on the other side.
func haloMessage(world *mpi.Comm, n int) (func() error, error) {
	rows := n / 8
	grid := numbers(rows * gridColumns)
	column := func(j int) mpi.View[float64] { return mpi.Vector(grid[j:], rows, 1, gridColumns) }
	fromLeft, first, last, fromRight := column(0), column(1), column(gridColumns-2), column(gridColumns-1)
	right, left := (world.Rank()+1)%world.Size(), (world.Rank()+world.Size()-1)%world.Size()
	return func() error {
		if _, err := last.Sendrecv(world, right, rankside.DataTag, fromLeft, left, rankside.DataTag); err != nil {
			return err
		}
		_, err := first.Sendrecv(world, left, rankside.DataTag, fromRight, right, rankside.DataTag)
		return err
	}, fromRight.Err()
}

func haloLoop(_, n int) func() {
	rows := n / 8
	to, from := numbers(rows*gridColumns), numbers(rows*gridColumns)
	return func() {
		for i := range rows {
			to[i*gridColumns] = from[i*gridColumns+gridColumns-2]
		}
		for i := range rows {
			to[i*gridColumns+gridColumns-1] = from[i*gridColumns+1]
		}
	}
}

// transposeShape returns how many rows each rank has, and of how many elements.
func transposeShape(ranks, n int) (rows, width int) {
	for rows = 1; (rows+1)*(rows+1) <= n/8; rows++ {
	}
	return rows, rows * ranks
}

// transposeMessage has each rank send the block of each peer's columns, row by row, and
// receive column by column.
func transposeMessage(world *mpi.Comm, n int) (func() error, error) {
	rows, width := transposeShape(world.Size(), n)
	from, to := numbers(rows*width), numbers(rows*width)
	var send, recv []mpi.View[float64]
	for peer := range world.Size() {
		send = append(send, mpi.Vector(from[peer*rows:], rows, rows, width))
		recv = append(recv, mpi.Strided(to[peer*rows:], []int{rows, rows}, []int{1, width}))
	}
	return func() error { return mpi.Alltoallw(world, send, recv) }, recv[0].Err()
}

// transposeLoop does one rank's share.
func transposeLoop(ranks, n int) func() {
	rows, width := transposeShape(ranks, n)
	from, to := numbers(rows*width), numbers(rows*width)
	return func() {
		for first := 0; first < width; first += rows { // the blocks of the ranks
			for i := range rows {
				for j := range rows {
					to[j*width+first+i] = from[i*width+first+j]
				}
			}
		}
	}
}
