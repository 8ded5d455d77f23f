package value_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/internal/job/jobtest"
	"github.com/gopvas/gopvas/mpi"
	"github.com/gopvas/gopvas/mpi/value"
)

func TestMain(m *testing.M) {
	programs := map[string]func() error{}
	for name, f := range map[string]func(*mpi.Comm) error{
		"values": values, "refused": refused, "strangers": strangers,
	} {
		programs[name] = func() error {
			mpi.Run(f)
			return nil
		}
	}
	jobtest.Main(m, programs)
}

func TestValues(t *testing.T) {
	for _, ranks := range []int{1, 2, 5} {
		for _, name := range []string{"values", "refused", "strangers"} {
			jobtest.Run(t, job.Config{Ranks: ranks, BTL: job.BTLSM, CPUs: 2}, name)
		}
	}
}

type shape interface{ Area() float64 }

type square struct{ Side float64 }

func (s square) Area() float64 { return s.Side * s.Side }

// Loose is found in an any.
type Loose struct{ X, Y int }

type tree struct {
	Name     string
	Children []*tree
	Tags     map[string]bool
	Any      any
	Shape    shape
	hidden   int
	At       time.Time
	Number   *big.Int
	Nil      *int
	Text     []string
}

func treeOf(rank, depth int) *tree {
	t := &tree{Name: fmt.Sprintf("é%d", rank), Tags: map[string]bool{"a": true, fmt.Sprint(rank): false},
		Any: Loose{rank, -1}, Shape: &square{float64(rank)}, At: time.Unix(int64(rank), 123456789).UTC(),
		Number: new(big.Int).Lsh(big.NewInt(int64(rank)+1), 200), Text: []string{"\xff"}}
	if depth > 0 {
		t.Children = []*tree{treeOf(rank+1, depth-1), nil}
	}
	return t
}

func same(what string, have, want any) error {
	if !reflect.DeepEqual(have, want) {
		return fmt.Errorf("%s: %+v, not %+v", what, have, want)
	}
	return nil
}

// values of all kinds go by all calls.
func values(c *mpi.Comm) error {
	n, me := c.Size(), c.Rank()
	if err := errors.Join(value.Register[square](), value.Register[Loose](), value.Register[*Loose]()); err != nil {
		return err
	}
	left, right := (me+n-1)%n, (me+1)%n
	done := make(chan error, 1)
	sent := treeOf(me, 3)
	sent.hidden = 1 // stays here
	go func() { done <- value.Send(c, sent, right, 7) }()
	got, st, err := value.Recv[*tree](c, mpi.AnySource, 7)
	err = errors.Join(err, <-done, same("tree", got, treeOf(left, 3)), same("source", st.Source, left))
	if err != nil {
		return err
	}
	large, err := value.Bcast(c, any(uint64(1<<63)), 0)
	if me > 0 {
		err = errors.Join(err, same("large", large, *new(big.Int).SetUint64(1 << 63)))
	}
	if err != nil {
		return err
	}
	long := make([]int, 200_000) // beyond the usual limit of the encoder
	for i := range long {
		long[i] = i
	}
	for root := range n {
		var own map[string][]int
		if me == root {
			own = map[string][]int{"long": long, "short": {root}}
		}
		m, err1 := value.Bcast(c, own, root)
		var all []any
		if me == root {
			for i := range n {
				all = append(all, []any{int64(i), "x", nil, math.Inf(1), []byte{1}}[i%5])
			}
		}
		x, err2 := value.Scatter(c, all, root)
		parts, err3 := value.Gather(c, x, root)
		if err := errors.Join(err1, err2, err3, same("bcast", m, map[string][]int{"long": long, "short": {root}}),
			same("scatter", x, []any{int64(me), "x", nil, math.Inf(1), []byte{1}}[me%5]),
			same("gather", parts, all)); err != nil {
			return err
		}
	}
	trees, err := value.Allgather(c, *treeOf(me, 0))
	for rank, have := range trees {
		err = errors.Join(err, same("allgather", have, *treeOf(rank, 0)))
	}
	return errors.Join(err, same("ranks", len(trees), n))
}

// refused: what cannot be encoded is told to all who need it, and the calls after it arrive.
func refused(c *mpi.Comm) error {
	n, me := c.Size(), c.Rank()
	bad := any(1)
	if me == n-1 {
		bad = make(chan int)
	}
	for range 3 {
		_, err1 := value.Bcast(c, bad, n-1)
		all, err2 := value.Allgather(c, bad)
		parts := make([]any, n)
		parts[0] = func() {}
		_, err3 := value.Scatter(c, parts, n-1)
		_, err4 := value.Gather(c, bad, 0)
		if err1 == nil || err2 == nil || len(all) != n || (err3 == nil) != (me != 0 && me != n-1) ||
			(err4 == nil) != (me != 0 && me != n-1) {
			return fmt.Errorf("no error in one of: %w, %w, %w, %w", err1, err2, err3, err4)
		}
		if sum, err := mpi.AllreduceOne(c, 1, mpi.Sum[int]()); err != nil || sum != n {
			return fmt.Errorf("after it: %d, %w", sum, err)
		}
	}
	_, err := value.Scatter(c, make([]int, n+1), 0)
	if err == nil {
		return errors.New("a value too many is not told")
	}
	return nil
}

// strangers: bytes that are no value, and values of another type, are errors.
func strangers(c *mpi.Comm) error {
	left, right := (c.Rank()+c.Size()-1)%c.Size(), (c.Rank()+1)%c.Size()
	for _, b := range [][]byte{nil, {0xff}, {0x9f}, []byte("text"), {0x81}} {
		if err := mpi.Send(c, b, right, 1); err != nil {
			return err
		}
		if _, _, err := value.Recv[[]string](c, left, 1); err == nil {
			return fmt.Errorf("%v is a value", b)
		}
	}
	if err := value.Send(c, "text", right, 1); err != nil {
		return err
	}
	if _, _, err := value.Recv[int](c, left, 1); err == nil {
		return errors.New("a text is a number")
	}
	if err := value.Send(c, 300, right, 1); err != nil {
		return err
	}
	if _, _, err := value.Recv[int8](c, left, 1); err == nil {
		return errors.New("300 is an int8")
	}
	return nil
}

func TestRegisterRefuses(t *testing.T) {
	require.ErrorContains(t, value.Register[shape](), "register value_test.shape")
	require.NoError(t, value.Register[Loose]())
	require.NoError(t, value.Register[Loose]())
}
