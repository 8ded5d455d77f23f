package pool_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gopvas/gopvas/internal/node/job/jobtest"
	"github.com/gopvas/gopvas/mpi"
	"github.com/gopvas/gopvas/mpi/pool"
)

func TestRefused(t *testing.T) {
	for _, ranks := range []int{1, 2, 5} {
		jobtest.Run(t, config(ranks), "undecoded")
		jobtest.Run(t, config(ranks), "early ends")
	}
}

// picky is a number that travels only if it is not 0, and arrives only if it does not end with 13 or 33.
type picky struct{ n int }

func (p picky) MarshalBinary() ([]byte, error) {
	if p.n == 0 {
		return nil, errors.New("zero stays")
	}
	return strconv.AppendInt(nil, int64(p.n), 10), nil
}

func (p *picky) UnmarshalBinary(b []byte) (err error) {
	if strings.HasSuffix(string(b), "13") {
		return errors.New("bad luck")
	}
	if strings.HasSuffix(string(b), "33") {
		panic("worse luck")
	}
	p.n, err = strconv.Atoi(string(b))
	return err
}

// undecoded: what cannot be decoded, at either end, and a zero result that cannot be encoded, are errors of their
// tasks.
func undecoded(c *mpi.Comm) error {
	inputs := make([]picky, 400)
	for i := range inputs {
		inputs[i].n = i + 1
	}
	got, err := pool.Map(c, inputs, func(p picky) (picky, error) {
		switch p.n % 100 {
		case 40:
			return picky{}, errors.New("forty")
		case 50:
			return picky{}, nil
		}
		return picky{p.n + 1}, nil
	})
	if c.Rank() > 0 {
		return err
	}
	text := fmt.Sprint(err)
	for i, p := range inputs {
		task := fmt.Sprintf("pool: task %d: ", i)
		want, there := p.n+1, strings.Count(text, task)
		travels := !slices.Contains([]int{12, 13, 32, 33, 50}, p.n%100)
		if n := p.n % 100; n == 50 || n == 40 || !travels && c.Size() > 1 {
			want = 0
		}
		if got[i].n != want || there != one(p.n%100 == 40 || !travels && c.Size() > 1) {
			return fmt.Errorf("task %d: %d, not %d, and %d errors: %w", i, got[i].n, want, there, err)
		}
	}
	return nil
}

// earlyEnds: however rank 0 ends, all others do, and the next call finds no message of this one.
func earlyEnds(c *mpi.Comm) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if c.Rank() > 0 {
		cancel() // does not count
	}
	endless := func(yield func(int) bool) {
		for n := 0; yield(n); n++ {
		}
	}
	for _, end := range []struct {
		name string
		call func() error
	}{
		{"a context", func() error {
			seen := 0
			for _, err := range pool.Unordered(c.With(ctx), endless, square) {
				if errors.Is(err, context.Canceled) && strings.HasPrefix(err.Error(), "pool: ") {
					return nil
				}
				if seen++; seen == 20 {
					cancel()
				}
			}
			return errors.New("no error")
		}},
		{"a nil iterator", func() error {
			for _, err := range pool.Unordered(c, nil, square) {
				if strings.HasPrefix(err.Error(), "pool: the iterator of inputs is nil (refused_test.go:") {
					return nil
				}
				return err
			}
			return errors.New("no error")
		}},
		{"a nil function", func() error {
			_, err := pool.Map[int, int](c, []int{1, 2}, nil)
			if !strings.Contains(fmt.Sprint(err), "pool: task 1: the function is nil at rank ") {
				return fmt.Errorf("no error: %w", err)
			}
			return nil
		}},
		{"a panic", func() (err error) {
			defer func() {
				if recover() == nil {
					err = errors.New("no panic")
				}
			}()
			for range pool.Unordered(c, endless, square) {
				panic("in the loop")
			}
			return nil
		}},
	} {
		if err := end.call(); err != nil && c.Rank() == 0 {
			return fmt.Errorf("%s: %w", end.name, err)
		}
		if err := sums(c); err != nil {
			return fmt.Errorf("after %s: %w", end.name, err)
		}
	}
	return nil
}

// sums requires that a call is right.
func sums(c *mpi.Comm) error {
	got, err := pool.Map(c, []int{1, 2, 3}, square)
	if err == nil && c.Rank() == 0 && fmt.Sprint(got) != "[1 4 9]" {
		err = fmt.Errorf("%v", got)
	}
	return err
}
