package pml_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/msg/pml"
	"github.com/gopvas/gopvas/internal/test/testkit"
)

// TestEverybodySendsToEverybody sends messages of all protocols with few tags from
// all ranks to all, themselves too, and receives them in ways that differ from
// message to message. Every message carries its number among those of the same
// source and tag, and has to come in that order.
func TestEverybodySendsToEverybody(t *testing.T) {
	const tags = 3
	perPair := max(20, testkit.Rounds(60))
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	everywhere(t, func(w *world) {
		w.run(func(e *pml.Engine, rank int) error {
			rng := rand.New(rand.NewPCG(seed, uint64(rank)))
			if rank%2 == 1 {
				e.Threads().One(func() {})
			}
			sends, err := sendAll(e, rng, rank, len(w.engines), perPair, tags)
			if err != nil {
				return err
			}
			if err := receiveAll(e, rng, len(w.engines), perPair); err != nil {
				return err
			}
			var waits pml.Waits
			waits.Begin(e)
			for i := range sends {
				if _, err := waits.Wait(&sends[i]); err != nil {
					return err
				}
			}
			waits.End()
			return e.Close()
		})
	})
}

// sendAll begins perPair sends to each rank, of lengths around the limits.
func sendAll(e *pml.Engine, rng *rand.Rand, rank, ranks, perPair, tags int) ([]pml.Request, error) {
	var sends []pml.Request
	count := map[[2]int]uint32{}
	lengths := []int{8, 9, 64, 65, 100, 101, 4096, 4097, 20000}
	for range perPair {
		for _, peer := range rng.Perm(ranks) {
			tag := rng.IntN(tags)
			buf := make([]byte, lengths[rng.IntN(len(lengths))])
			binary.LittleEndian.PutUint32(buf, count[[2]int{peer, tag}])
			binary.LittleEndian.PutUint16(buf[4:], uint16(rank))
			buf[6], buf[7] = byte(tag), byte(peer)
			for i := 8; i < len(buf); i++ {
				buf[i] = byte(i) ^ buf[0]
			}
			count[[2]int{peer, tag}]++
			r, err := e.Isend(0, peer, tag, buf, pml.Mode(rng.IntN(2)))
			if err != nil {
				return nil, err
			}
			sends = append(sends, r)
		}
	}
	return sends, nil
}

// receiveAll takes all messages, each in another way.
func receiveAll(e *pml.Engine, rng *rand.Rand, ranks, perPair int) error {
	next := map[[2]int]uint32{}
	for n := range ranks * perPair {
		buf := make([]byte, 20000)
		st, err := receiveSomehow(e, rng, buf)
		if err != nil {
			return fmt.Errorf("message %d: %w", n, err)
		}
		got := buf[:st.Bytes]
		from, tag := int(binary.LittleEndian.Uint16(got[4:])), int(got[6])
		if from != st.Source || tag != st.Tag {
			return fmt.Errorf("message of rank %d, tag %d, says it is of %d, %d", st.Source, st.Tag, from, tag)
		}
		key := [2]int{from, tag}
		if k := binary.LittleEndian.Uint32(got); k != next[key] {
			return fmt.Errorf("rank %d, tag %d: message %d came when %d was due", from, tag, k, next[key])
		}
		next[key]++
		for i := 8; i < len(got); i++ {
			if got[i] != byte(i)^got[0] {
				return fmt.Errorf("byte %d of %d of a message is wrong", i, len(got))
			}
		}
	}
	if st, ok, err := e.Iprobe(0, pml.AnySource, pml.AnyTag); ok || err != nil {
		return fmt.Errorf("something is left: %v, %v", st, err)
	}
	return nil
}

// receiveSomehow takes one message. What it names it has seen by a probe, so that it
// does not wait for what never comes.
func receiveSomehow(e *pml.Engine, rng *rand.Rand, buf []byte) (pml.Status, error) {
	switch rng.IntN(6) {
	case 0:
		return e.Recv(0, pml.AnySource, pml.AnyTag, buf)
	case 1:
		r, err := e.Irecv(0, pml.AnySource, pml.AnyTag, buf)
		if err != nil {
			return pml.Status{}, err
		}
		return r.Wait()
	case 2:
		m, st, err := e.Mprobe(0, pml.AnySource, pml.AnyTag)
		if err != nil {
			return st, err
		}
		return e.Mrecv(&m, btl.Buffer{Bytes: buf[:st.Bytes]})
	case 3:
		for {
			m, st, ok, err := e.Improbe(0, pml.AnySource, pml.AnyTag)
			if err != nil {
				return st, err
			}
			if ok {
				return e.Mrecv(&m, btl.Buffer{Bytes: buf[:st.Bytes]})
			}
		}
	case 4:
		r, err := e.Irecv(0, pml.AnySource, pml.AnyTag, buf)
		for err == nil {
			if st, done, err := r.Test(); done {
				return st, err
			}
		}
		return pml.Status{}, err
	}
	st, err := e.Probe(0, pml.AnySource, pml.AnyTag)
	if err != nil {
		return st, err
	}
	got, err := e.Recv(0, st.Source, st.Tag, buf)
	if err == nil && got != st {
		err = errors.New("what was received is not what was probed")
	}
	return got, err
}
