package comm

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl/mem"
)

func TestGroupRanges(t *testing.T) {
	g := everybody(0, 10)
	for _, c := range []struct {
		ranges []Range
		incl   []int32
	}{
		{[]Range{{0, 9, 3}}, []int32{0, 3, 6, 9}},
		{[]Range{{8, 1, -3}, {0, 0, 1}}, []int32{8, 5, 2, 0}},
		{[]Range{{5, 4, 1}}, []int32{}},
		{nil, []int32{}},
	} {
		in, err := g.RangeIncl(c.ranges...)
		require.NoError(t, err)
		require.Equal(t, c.incl, in.ranks)
		out, err := g.RangeExcl(c.ranges...)
		require.NoError(t, err)
		require.Equal(t, Identical, out.Compare(g.Difference(in)))
	}
	for _, bad := range [][]Range{{{0, 3, 0}}, {{0, 10, 1}}, {{-1, 3, 1}}, {{0, 1 << 40, 1}}, {{0, 3, 1}, {3, 4, 1}}} {
		_, err := g.RangeIncl(bad...)
		require.Error(t, err, "%v", bad)
		_, err = g.RangeExcl(bad...)
		require.Error(t, err, "%v", bad)
	}
}

func TestGraphTopology(t *testing.T) {
	overMem(t, 5, 2, mem.Options{}, func(c *Comm) error {
		index, edges := []int{2, 3, 4, 6}, []int{1, 3, 0, 3, 0, 2} // MPI 4.1, example 8.3
		g, err := GraphCreate(c, index, edges)
		if c.Rank() == 4 {
			if g != nil || err != nil {
				return fmt.Errorf("a rank that is no node got %v, %v", g, err)
			}
			return nil
		}
		if err != nil {
			return err
		}
		want := [][]int{{1, 3}, {0}, {3}, {0, 2}}
		for rank := range want {
			if got, err := g.Neighbors(rank); err != nil || !slices.Equal(got, want[rank]) {
				return fmt.Errorf("neighbours of %d: %v, %v", rank, got, err)
			}
		}
		d, err := g.Dup()
		if err != nil {
			return err
		}
		copied, ok := GraphOf(d)
		i, e := copied.Edges()
		if !ok || !slices.Equal(i, index) || !slices.Equal(e, edges) {
			return fmt.Errorf("the copy has %v, %v", i, e)
		}
		var in []Buffer
		err = NewNeighborCall(d, "allgather", func(sources, destinations []int) (o, i []Buffer, err error) {
			for range destinations {
				o, i = append(o, Bytes([]byte{byte(c.Rank())})), append(i, Bytes(make([]byte, 1)))
			}
			in = i
			return o, i, nil
		}).Run()
		for k, b := range in {
			if int(b.Bytes[0]) != want[c.Rank()][k] {
				return fmt.Errorf("got %d as neighbour %d", b.Bytes[0], k)
			}
		}
		return first(err, d.Free(), g.Free())
	})
	for _, bad := range [][2][]int{{{2}, {0}}, {{1, 0}, {0}}, {{1}, {1}}, {{1, 1, 1}, {0}}} {
		require.Error(t, checkWholeGraph(bad[0], bad[1], 2), "%v", bad)
	}
}

func TestInfo(t *testing.T) {
	f := new(Info)
	f.Set("a", "1")
	f.Set("b", "2")
	f.Set("a", "3")
	c := f.Clone()
	require.True(t, f.Delete("a"))
	require.False(t, f.Delete("a"))
	value, ok := c.Get("a")
	require.Equal(t, "3 true", fmt.Sprint(value, " ", ok))
	_, ok = f.Get("a")
	require.False(t, ok)
	require.Equal(t, "[2 1] [a b b]", fmt.Sprint([]int{c.Len(), f.Len()}, []string{c.Key(0), c.Key(1), f.Key(0)}))
	require.Zero(t, (*Info)(nil).Clone().Len())
}

// TestGeneralized: another goroutine ends the operation that this one waits for.
func TestGeneralized(t *testing.T) {
	overMem(t, 1, 1, mem.Options{}, func(c *Comm) error {
		g, r, err := NewGeneralized(c)
		require.NoError(t, err)
		_, done, err := Peek(&r)
		require.NoError(t, err)
		require.False(t, done)
		waiting := make(chan error)
		go func() {
			_, err := r.Wait()
			waiting <- err
		}()
		g.Complete()
		return <-waiting
	})
}

func TestPeekAndLeave(t *testing.T) {
	overMem(t, 1, 1, mem.Options{}, func(c *Comm) error {
		var buf [1]byte
		r, err := Irecv(c, buf[:], 1, 0, 0)
		require.NoError(t, err)
		_, done, err := Peek(&r)
		require.NoError(t, err)
		require.False(t, done)
		require.NoError(t, Send(c, Standard, []byte{1}, 0, 0))
		for range 2 {
			st, done, err := Peek(&r)
			require.NoError(t, err)
			require.Equal(t, "true 0 1", fmt.Sprint(done, " ", st.Source, st.Count))
		}
		_, err = r.Wait()
		require.NoError(t, err)
		left, err := Irecv(c, buf[:], 1, 0, 0)
		require.NoError(t, err)
		require.NoError(t, Leave(&left))
		return first(Leave(&left), Send(c, Standard, []byte{7}, 0, 0), wantByte(buf[0], 7))
	})
}

func wantByte(got, want byte) error {
	if got != want {
		return fmt.Errorf("got %d, want %d", got, want)
	}
	return nil
}

// TestJoin: one request stands for a receive and a send, and has the status of the receive.
func TestJoin(t *testing.T) {
	overMem(t, 2, 2, mem.Options{}, func(c *Comm) error {
		out, in := make([]byte, 1<<16), make([]byte, 1<<16)
		out[7] = byte(c.Rank() + 1)
		r, err := Irecv(c, in, 1, 1-c.Rank(), 3)
		s, err2 := Isend(c, Standard, out, 1-c.Rank(), 3)
		both, err3 := Join(c, r, s)
		if err := first(err, err2, err3); err != nil {
			return err
		}
		st, err := both.Wait()
		if st.Source != 1-c.Rank() || st.Tag != 3 || st.Count != 1<<16 {
			return fmt.Errorf("status %+v", st)
		}
		return first(err, wantByte(in[7], byte(2-c.Rank())))
	})
}

// TestIflushBuffer: the request is complete when the message was received.
func TestIflushBuffer(t *testing.T) {
	overMem(t, 2, 2, mem.Options{}, func(c *Comm) error {
		long := make([]byte, 1<<18)
		if c.Rank() == 1 {
			return first(c.Barrier(), Recv(c, new(Status), long, 1, 0, 0))
		}
		if err := Bsend(c, long, 1, 0); err != nil {
			return err
		}
		r, err := IflushBuffer(c)
		if err != nil {
			return err
		}
		if _, done, err := r.Test(); done || err != nil {
			return fmt.Errorf("flushed before the receive: %v, %v", done, err)
		}
		if err := c.Barrier(); err != nil {
			return err
		}
		_, err = r.Wait()
		return err
	})
}
