package value_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/job/jobtest"
	"github.com/gopvas/gopvas/mpi"
	"github.com/gopvas/gopvas/mpi/value"
)

func TestMain(m *testing.M) {
	programs := map[string]func() error{}
	for name, f := range map[string]func(*mpi.Comm) error{
		"values": values, "refused": refused, "strangers": strangers, "lost": lost,
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
		for _, name := range []string{"values", "refused", "strangers", "lost"} {
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
	appended := func(a, b []int) []int { return append(a, b...) }
	all, err := value.Allreduce(c, []int{me}, appended)
	at, err2 := value.Reduce(c, []int{me}, appended, n-1)
	ranks := make([]int, n)
	for i := range ranks {
		ranks[i] = i
	}
	err = errors.Join(err, err2, same("allreduce", all, ranks))
	if me < n-1 {
		ranks = nil
	}
	if err = errors.Join(err, same("reduce", at, ranks)); err != nil {
		return err
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
		_, err5 := value.Allreduce(c, bad, func(a, b any) any { return b })
		_, err6 := value.Reduce(c, 1, nil, 0)
		if err5 == nil || !strings.Contains(err6.Error(), "value: reduce: the function is nil (value_test.go:") {
			return fmt.Errorf("no error in one of: %w, %w", err5, err6)
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
	for range 2 { // an error names the line of the program, whichever package finds it
		_, _, line, _ := runtime.Caller(0)
		for _, err := range mpi.Messages[int](c, c.Size(), 1) {
			if !strings.HasSuffix(err.Error(), fmt.Sprintf("(value_test.go:%d)", line+1)) {
				return fmt.Errorf("line %d: %w", line+1, err)
			}
		}
		if err := value.Send(c, func() {}, right, 1); !strings.HasSuffix(err.Error(),
			fmt.Sprintf("(value_test.go:%d)", line+6)) {
			return fmt.Errorf("line %d: %w", line+6, err)
		}
	}
	if x, st, err := value.Recv[string](c, mpi.ProcNull, 1); x != "" || st.Source != mpi.ProcNull || err != nil {
		return fmt.Errorf("%q of %d from nobody: %w", x, st.Source, err)
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

type (
	inner  struct{ X int }
	twice  struct{ inner }
	hidden struct {
		inner
		X int
	}
	closed struct{ _ int }
	chain  struct {
		Next *chain
		Any  any
	}
	unknown struct{ X int }
)

// lost: what would not arrive whole is an error, at the sender or the receiver; what arrives is what was sent.
func lost(c *mpi.Comm) error {
	circle := &chain{}
	circle.Next = circle
	inAny := []any{nil}
	inAny[0] = inAny
	type pointer *pointer
	var endless pointer
	endless = &endless
	both := map[any]any{}
	both[&both], both[1] = 1, both
	return errors.Join(deep(c), unsent(c, both, "contains itself"), unsent(c, endless, "contains itself"),
		refusedAs[[2]int](c, []int{1, 2, 3}, "more elements"), refusedAs[[3]int](c, []int{1, 2}, "more elements"),
		refusedAs[map[string][1]int](c, map[string][]int{"a": {1, 2}}, "more elements"),
		refusedAs[float32](c, 0.1, "other numbers"), refusedAs[[2]byte](c, []byte("abc"), ""),
		refusedAs[inner](c, struct{ X, Y int }{1, 2}, "unknown field"), refusedAs[int8](c, int64(128), "overflow"),
		refusedAs[struct{ Abc int }](c, struct{ ABC int }{1}, "unknown field"),
		refusedAs[map[any]int](c, map[any]int{1: 1, int8(1): 2}, "duplicate"),
		unsent(c, circle, "contains itself"), unsent(c, inAny, "contains itself"), unsent(c, hidden{}, "called X"),
		unsent(c, closed{}, "no field is exported"), unsent(c, struct{ C []complex64 }{}, "field C: a complex64"),
		unsent(c, any(unknown{}), "value.Register"), unsent(c, []any{time.Second}, "value.Register"),
		unsent(c, new(big.Float), "no field is exported"),
		arrives(c, math.MaxInt64), arrives(c, int8(-128)), arrives(c, any(nil)), arrives(c, math.Float64frombits(1)),
		arrives(c, math.Copysign(0, -1)), arrives(c, any(time.Unix(5, 6).UTC())), arrives(c, []int(nil)),
		arrives(c, any(big.Int{})), arrives(c, map[float32]bool{0.1: true}), arrives(c, twice{inner{3}}),
		arrives(c, [][]byte{nil, {}}), arrives(c, map[string]map[int]int{"nil": nil, "empty": {}}),
		arrives(c, [2]*int{nil, new(int)}), arrives(c, &chain{Next: &chain{Any: "x"}}), arrives(c, ""),
		arrives(c, struct{}{}), arrives(c, [0]int{}), arrives(c, []*chain{nil, {}}),
		nan(c, 0x7ff8dead00000001), nan(c, 0x7ff0000000000001))
}

// deep: a list of 65,535 levels arrives, a longer one is refused.
func deep(c *mpi.Comm) error {
	list := func(levels int) (l *chain) {
		for range levels {
			l = &chain{Next: l}
		}
		return l
	}
	return errors.Join(arrives(c, list(65_535)), unsent(c, list(65_536), "more than 65535 levels"))
}

// refusedAs sends a value to this rank itself, where it is none of type T.
func refusedAs[T, S any](c *mpi.Comm, x S, want string) error {
	got, err := passed[T](c, x)
	if err == nil || !strings.Contains(err.Error(), want) {
		return fmt.Errorf("%T %+v arrives as %+v: %w", x, x, got, err)
	}
	return nil
}

// unsent: x is refused before it leaves.
func unsent[T any](c *mpi.Comm, x T, want string) error {
	if err := value.Send(c, x, c.Rank(), 9); err == nil || strings.Count(err.Error(), want) != 1 ||
		strings.Contains(err.Error(), "<nil>") {
		return fmt.Errorf("%T is sent, or not for %q: %w", x, want, err)
	}
	return nil
}

func arrives[T any](c *mpi.Comm, x T) error {
	got, err := passed[T](c, x)
	return errors.Join(err, same(fmt.Sprintf("%T", x), got, x))
}

// nan: its bits arrive.
func nan(c *mpi.Comm, bits uint64) error {
	got, err := passed[float64](c, math.Float64frombits(bits))
	return errors.Join(err, same("not a number", math.Float64bits(got), bits))
}

// passed sends a value to this rank itself.
func passed[T, S any](c *mpi.Comm, x S) (T, error) {
	done := make(chan error, 1)
	go func() { done <- value.Send(c, x, c.Rank(), 9) }()
	got, _, err := value.Recv[T](c, c.Rank(), 9)
	return got, errors.Join(err, <-done)
}

func TestRegisterRefuses(t *testing.T) {
	require.ErrorContains(t, value.Register[shape](), "register value_test.shape")
	require.NoError(t, value.Register[Loose]())
	require.NoError(t, value.Register[Loose]())
}
