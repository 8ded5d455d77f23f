package suci

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/suci/internal/protocol"
	"github.com/gopvas/gopvas/suci/internal/udp"
)

// reads reads a block in another goroutine. Nothing else than the test's own calls lets it go on before a minute.
func reads(t *testing.T, e *Endpoint) (done chan error) {
	done = make(chan error, 1)
	udp.Wait(nil, e.driverWake, 0, false) // Open has woken whoever sleeps next
	go func() {
		r, err := e.Read(t.Context())
		r.Free()
		done <- err
	}()
	return done
}

// soon takes the result of reads, long before the driver wakes by itself.
func soon(t *testing.T, done chan error) {
	select {
	case err := <-done:
		require.NoError(t, err)
	case <-time.After(20 * time.Second):
		t.Fatal("nobody wakes the reader")
	}
}

// when runs do under the lock as soon as the loop is in a state.
func when(t *testing.T, l *loop, state func() bool, do func()) {
	require.Eventually(t, func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		if !state() {
			return false
		}
		do()
		return true
	}, 20*time.Second, time.Millisecond)
}

// drivenAsleep tells whether a goroutine of the program sleeps as the driver.
func (l *loop) drivenAsleep() bool { return l.sleeping == l.driverWake }

// A goroutine that is not the driver has done what the driver waits for.
func TestNewsWakesDriver(t *testing.T) {
	e := group(t, 1, nil)[0]
	read := reads(t, e)
	when(t, e.loop, e.drivenAsleep, func() {
		(*handler)(e).Deliver(new(protocol.Incoming))
		e.announce()
	})
	soon(t, read)
}

// A goroutine that polls beside the driver makes a machine want to send before the driver's sleep ends.
func TestPollHastensDriver(t *testing.T) {
	silent, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(loopback))
	require.NoError(t, err)
	defer silent.Close()
	for _, more := range []bool{false, true} {
		e := joined(t, 1, map[bool]int{false: 1, true: 2}[more], nil)[0][0]
		p, err := e.Destination(1, silent.LocalAddr().(*net.UDPAddr).AddrPort())
		require.NoError(t, err)
		reads(t, e)
		when(t, e.loop, e.drivenAsleep, func() {
			require.NoError(t,
				e.machine.Send(e.now(), p.state, &protocol.Outgoing{Done: func(*protocol.Outgoing, error) {}}))
			e.wake, e.looks = e.machine.Wake(), looksPerTime-1
			e.poll()
		})
		require.NoError(t, silent.SetReadDeadline(time.Now().Add(10*time.Second)))
		for range 3 { // the driver greets again
			_, err = silent.Read(make([]byte, 2000))
			require.NoError(t, err)
		}
	}
}

// The driver leaves, and the only follower has what it waited for, so it does not drive. Then the keeper does.
func TestKeeperTakesOverFromFollowers(t *testing.T) {
	e := group(t, 1, nil)[0]
	first := reads(t, e)
	when(t, e.loop, func() bool { return e.drivenAsleep() && !e.hired }, func() {})
	second := reads(t, e)
	when(t, e.loop, func() bool { return e.followers == 1 }, func() {
		(*handler)(e).Deliver(new(protocol.Incoming))
		(*handler)(e).Deliver(new(protocol.Incoming))
		e.driverWake.Wake()
	})
	soon(t, first)
	soon(t, second)
	when(t, e.loop, func() bool { return e.hired }, func() {})
}

// Flush follows while another goroutine drives. A block was given up, and nobody is told when the peer skips it.
func TestFlushAfterBlockGivenUp(t *testing.T) {
	es := joined(t, 2, 1, nil)
	e, p := es[0][0], es[0][0].Peer(1)
	require.NoError(t, p.Write(t.Context(), Block{Data: pattern(8)}))
	require.NoError(t, p.Flush(t.Context()))
	p.SetPace(1) // what is sent afterwards waits for hours
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, p.TryWrite(Block{Data: pattern(1000), Deadline: time.Now().Add(50 * time.Millisecond)}))
	require.ErrorIs(t, p.Write(canceled, Block{Data: pattern(100_000)}), context.Canceled)
	reads(t, e)
	when(t, e.loop, e.drivenAsleep, func() {})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	err := p.Flush(ctx)
	require.NotErrorIs(t, err, context.DeadlineExceeded)
	require.Zero(t, p.QueueLength())
}
