package transport

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"sync"
	"time"
)

// Times are those of the rounds of a measurement, in microseconds.
type Times struct {
	Rounds                    int
	Median, Least, P99, Worst float64
}

// timesOf takes the statistics of rounds.
func timesOf(rounds []time.Duration) Times {
	slices.Sort(rounds)
	n := len(rounds)
	if n == 0 {
		return Times{}
	}
	us := func(i int) float64 { return float64(rounds[i].Nanoseconds()) / 1e3 }
	return Times{n, us(n / 2), us(0), us(min(n-1, n*99/100)), us(n - 1)}
}

// mostRounds bounds what a measurement keeps.
const mostRounds = 1 << 20

// repeat calls a round until the time is over, at least three times.
func repeat(ctx context.Context, lasting time.Duration, round func() error) (Times, error) {
	var rounds []time.Duration
	for begin := time.Now(); len(rounds) < 3 || time.Since(begin) < lasting && len(rounds) < mostRounds; {
		start := time.Now()
		if err := round(); err != nil {
			return timesOf(rounds), err
		}
		rounds = append(rounds, time.Since(start))
		if ctx.Err() != nil {
			return timesOf(rounds), context.Cause(ctx)
		}
	}
	return timesOf(rounds), nil
}

// message is a message of a kind with numbers in its head.
func message(op byte, size int, numbers ...uint32) []byte {
	b := make([]byte, max(size, 1, headOf(numbers)))
	b[0] = op
	for i, n := range numbers {
		binary.BigEndian.PutUint32(b[4+4*i:], n)
	}
	return b
}

// receive takes so many messages.
func receive(ctx context.Context, c Carrier, n int) error {
	for range n {
		m, err := c.Receive(ctx)
		if err != nil {
			return err
		}
		m.Free()
	}
	return nil
}

// Greet waits until a server has got a message, which shows that it can be reached.
func Greet(ctx context.Context, c Carrier, to Node) error {
	if err := c.Send(ctx, to, message(opSink, 1), true); err != nil {
		return err
	}
	return c.Flush(ctx)
}

// PingPong measures half of the round trip of a message that a server sends back.
func PingPong(ctx context.Context, c Carrier, to Node, size int, lasting time.Duration) (Times, error) {
	data := message(opEcho, size)
	round := func() error {
		if err := c.Send(ctx, to, data, true); err != nil {
			return err
		}
		return receive(ctx, c, 1)
	}
	for range 20 { // to get warm
		if err := round(); err != nil {
			return Times{}, err
		}
	}
	t, err := repeat(ctx, lasting, round)
	t.Median, t.Least, t.P99, t.Worst = t.Median/2, t.Least/2, t.P99/2, t.Worst/2
	return t, err
}

// Burst measures the bytes per second of messages that are sent as fast as they go.
func Burst(ctx context.Context, c Carrier, to Node, size int,
	lasting time.Duration) (bytesPerSecond float64, err error) {
	data, last := message(opSink, size), message(opEcho, 1)
	send := func(lasting time.Duration) (float64, error) {
		begin, bytes := time.Now(), 0
		for bytes == 0 || time.Since(begin) < lasting {
			if err := c.Send(ctx, to, data, false); err != nil {
				return 0, err
			}
			bytes += len(data)
		}
		if err := c.Send(ctx, to, last, false); err != nil {
			return 0, err
		}
		if err := receive(ctx, c, 1); err != nil {
			return 0, err
		}
		return float64(bytes) / time.Since(begin).Seconds(), c.Flush(ctx)
	}
	if _, err := send(lasting / 8); err != nil { // to get warm
		return 0, err
	}
	return send(lasting)
}

// gather measures how long it takes until a message from each of the nodes has come. All send
// at once, when they are asked to.
func gather(ctx context.Context, c Carrier, from []Node, size int, lasting time.Duration) (Times, error) {
	ask := message(opSend, 8, uint32(size))
	round := func() error {
		for _, n := range from {
			if err := c.Send(ctx, n, ask, true); err != nil {
				return err
			}
		}
		return receive(ctx, c, len(from))
	}
	if err := round(); err != nil {
		return Times{}, err
	}
	return repeat(ctx, lasting, round)
}

// broadcast measures how long it takes until the message of this node, which is the number
// root, has come to the nodes root+1 ... root+nodes-1, over a binomial tree.
func broadcast(ctx context.Context, c Carrier, root Node, nodes, size int, lasting time.Duration) (Times, error) {
	data := message(opTree, size, 0, uint32(nodes), root)
	round := func() error {
		if err := sendTree(ctx, c, data, 0, uint32(nodes), root); err != nil {
			return err
		}
		return receive(ctx, c, nodes-1)
	}
	if err := round(); err != nil {
		return Times{}, err
	}
	return repeat(ctx, lasting, round)
}

// beside measures round trips of short messages while long ones stream to the same node.
func beside(ctx context.Context, c Carrier, to Node, size, bulk int, lasting time.Duration) (Times, float64, error) {
	data := message(opSink, bulk)
	streaming, stop := context.WithCancel(ctx)
	defer stop()
	var bytes int
	var failed error
	var wg sync.WaitGroup
	begin := time.Now()
	wg.Go(func() {
		for streaming.Err() == nil && failed == nil {
			failed = c.Send(ctx, to, data, false)
			bytes += len(data)
		}
	})
	t, err := PingPong(ctx, c, to, size, lasting)
	stop()
	wg.Wait()
	if err == nil {
		err = failed
	}
	err = errors.Join(err, c.Flush(ctx)) // what was sent has arrived, over suci
	return t, float64(bytes) / time.Since(begin).Seconds(), err
}

// introduce tells the nodes where the others are, and this one.
func introduce(ctx context.Context, c Carrier, self Node, here netip.AddrPort, nodes map[Node]netip.AddrPort) error {
	for n := range nodes {
		others := maps.Clone(nodes)
		delete(others, n)
		others[self] = here
		text, err := json.Marshal(others)
		if err != nil {
			return err
		}
		if err := c.Send(ctx, n, append([]byte{opPeers}, text...), true); err != nil {
			return err
		}
	}
	return receive(ctx, c, len(nodes))
}

// Ask asks a server for its state.
func Ask(ctx context.Context, c Carrier, to Node) (State, error) {
	var s State
	if err := c.Send(ctx, to, []byte{opState}, true); err != nil {
		return s, err
	}
	m, err := c.Receive(ctx)
	if err != nil {
		return s, err
	}
	defer m.Free()
	if err := json.Unmarshal(m.Data, &s); err != nil {
		return s, fmt.Errorf("transport: read the state of node %d: %w", to, err)
	}
	return s, nil
}

// headOf is the length of a head with such numbers.
func headOf(numbers []uint32) int {
	if len(numbers) == 0 {
		return 1
	}
	return 4 + 4*len(numbers)
}
