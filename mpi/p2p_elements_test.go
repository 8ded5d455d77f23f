package mpi

import (
	"errors"
	"fmt"

	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/msg/comm"
)

// comparedElements: with --check the receiver is told that the sender has sent other numbers, in
// whatever way both do it, and of whatever length. The message is received, and the next one comes.
func comparedElements(c *Comm) error {
	left, right := ring(c)
	out := make([]float64, 100_000)
	for i := range out {
		out[i] = float64(i)
	}
	for _, n := range []int{1, 2, 50, 700, len(out)} {
		// Other types before they are compared, and where one rank is not asked to.
		if err := wrongElements(c, out[:n], left, right, func(err error) error { return err }); err != nil {
			return fmt.Errorf("unchecked: %w", err)
		}
		if err := c.Barrier(); err != nil { // messages of this round are compared from now on
			return err
		}
		was := comm.SetCheck(c.inner(), true)
		err := first(
			wrongElements(c, out[:n], left, right, wantElementError),
			rightElements(c, out[:n], left, right),
			c.Barrier())
		comm.SetCheck(c.inner(), was)
		if err != nil {
			return fmt.Errorf("%d elements: %w", n, err)
		}
	}
	return nil
}

func wantElementError(err error) error {
	var wrong *ElementError
	if !errors.As(err, &wrong) {
		return fmt.Errorf("%v is no ElementError", err)
	}
	return wantContains(err,
		"8-byte floating-point numbers were sent, and are received as 4-byte integers: give both ranks the same type")
}

// wrongElements receives float64 as int32, and judges the errors.
func wrongElements(c *Comm, out []float64, left, right int, judge func(error) error) error {
	in := make([]int32, 2*len(out))
	s, err1 := Isend(c, out, right, 1)
	st, err := Recv(c, in, left, 1)
	if err := first(err1, judge(err), want("count", st.Count, len(in)), drain([]Request{s})); err != nil {
		return fmt.Errorf("recv: %w", err)
	}
	r, err1 := Irecv(c, in, AnySource, 2)
	s, err2 := Issend(c, out, right, 2)
	_, err = r.Wait()
	if err := first(err1, err2, judge(err), drain([]Request{s})); err != nil {
		return fmt.Errorf("irecv: %w", err)
	}
	_, err = Sendrecv(c, out, right, 3, in, left, 3)
	if err := judge(err); err != nil {
		return fmt.Errorf("sendrecv: %w", err)
	}
	err1 = Bsend(c, out, right, 4)
	m, _, err2 := Mprobe(c, left, 4)
	_, err = Mrecv(&m, in)
	if err := first(err1, err2, judge(err), c.FlushBuffer()); err != nil {
		return fmt.Errorf("mrecv: %w", err)
	}
	s, err1 = SendInit(c, out, right, 5)
	r, err2 = RecvInit(c, in, left, 5)
	err3 := StartAll([]Request{r, s})
	_, err = r.Wait()
	_, err4 := s.Wait()
	if err := first(err1, err2, err3, judge(err), err4, r.Free(), s.Free()); err != nil {
		return fmt.Errorf("persistent: %w", err)
	}
	s, err1 = Whole(out).Isend(c, right, 6)
	_, err = Whole(in).Recv(c, left, 6)
	return first(err1, judge(err), drain([]Request{s}))
}

// rightElements are messages that look different and are not, or of which one rank does not know
// the elements.
func rightElements(c *Comm, out []float64, left, right int) error {
	type celsius float64
	type point struct{ X, Y celsius }
	type mixed struct {
		X float64
		N [2]int32
	}
	n := len(out)
	named := make([]celsius, n)
	if err := passes(c, out, named, left, right); err != nil || named[n-1] != celsius(out[n-1]) {
		return fmt.Errorf("named: %v, %w", named[n-1], err)
	}
	column, err := datatype.Vector(int64(n), 1, 1, datatype.Float64)
	if err != nil {
		return err
	}
	s, err1 := Typed(out, column, 1).Isend(c, right, 7)
	_, err2 := Recv(c, named, left, 7)
	return first(err1, err2, drain([]Request{s}),
		passes(c, out, make([]byte, 8*n), left, right),
		passes(c, out, make([]point, n/2+1), left, right),
		passes(c, out, make([]complex128, n/2+1), left, right),
		passes(c, out, make([]mixed, n/2+1), left, right),
		passes(c, []uint32{1, 2}, make([]uint32, 2), left, right),
		passes(c, []int{1, 2}, make([][1]int64, 2), left, right),
		passes(c, out[:0], make([]int32, 1), left, right))
}

func passes[S, R any](c *Comm, out []S, in []R, left, right int) error {
	if _, err := Sendrecv(c, out, right, 0, in, left, 0); err != nil {
		return fmt.Errorf("%T received as %T: %w", out, in, err)
	}
	return nil
}
