package mpi

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
)

// together runs n goroutines and joins their errors.
func together(n int, f func(i int) error) error {
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { errs[i] = f(i) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

func twoGoroutines(c *Comm) error {
	left, right := ring(c)
	return together(2, func(g int) error {
		for round := range 150 {
			n := lengths[round%8]
			in := make([]int32, n)
			if _, err := Sendrecv(c, numbers(n, round+g), right, g, in, left, g); err != nil {
				return err
			}
			if err := checkNumbers(in, round+g); err != nil {
				return fmt.Errorf("goroutine %d, round %d: %w", g, round, err)
			}
		}
		return nil
	})
}

// threadsWaitAtOnce: some goroutines wait in each way there is, and all get theirs.
func threadsWaitAtOnce(c *Comm) error {
	const n, rounds = 8, 10
	left, right := ring(c)
	return together(n+1, func(g int) error {
		if g == n {
			for range rounds {
				for _, tag := range rand.Perm(n) {
					if err := Ssend(c, numbers(100*tag, tag), right, tag); err != nil {
						return err
					}
				}
			}
			return nil
		}
		for range rounds {
			buf := make([]int32, 100*g)
			if err := waitOneWay(c, g, buf, left, g); err != nil {
				return err
			}
			if err := checkNumbers(buf, g); err != nil {
				return err
			}
		}
		return nil
	})
}

func waitOneWay(c *Comm, way int, buf []int32, src, tag int) error {
	switch way % 5 {
	case 0:
		_, err := Recv(c, buf, src, tag)
		return err
	case 1:
		if _, err := Probe(c, src, tag); err != nil {
			return err
		}
		_, err := Recv(c, buf, AnySource, tag)
		return err
	case 2:
		m, _, err := Mprobe(c, AnySource, tag)
		if err != nil {
			return err
		}
		_, err = Mrecv(&m, buf)
		return err
	case 3:
		r, err := Irecv(c, buf, src, tag)
		if err != nil {
			return err
		}
		_, err = r.WaitContext(context.Background())
		return err
	}
	r, err := Irecv(c, buf, src, tag)
	if err != nil {
		return err
	}
	_, _, err = WaitAny([]Request{{}, r})
	return err
}
