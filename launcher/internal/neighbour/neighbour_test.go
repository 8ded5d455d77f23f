package neighbour

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/sys"
)

// Jobs have different numbers at a time, and a number is free when its door is closed.
func TestNumbersAreOfOneJob(t *testing.T) {
	a, err := Open(7, 0)
	require.NoError(t, err)
	b, err := Open(7, 0)
	require.NoError(t, err)
	defer b.Close()
	require.NotEqual(t, a.Number, b.Number)
	a.Close()
	_, err = a.Accept()
	require.Error(t, err)
	_, err = sys.ConnectNamed(job.MeetSocket(a.Number))
	require.Error(t, err)
}

// A door at which no more can be accepted is not found, and its number is that of no other job.
func TestDoorWithoutDescriptors(t *testing.T) {
	door, err := Open(31, 0)
	require.NoError(t, err)
	defer door.Close()
	waits, err := dial(door.Number)
	require.NoError(t, err)
	defer waits.Close()
	var limit syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit))
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Max: limit.Max}))
	_, err = door.Accept()
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit))
	require.ErrorIs(t, err, syscall.EMFILE)
	_, err = dial(door.Number)
	require.ErrorIs(t, err, syscall.ECONNREFUSED)
	other, err := Open(31, 0)
	require.NoError(t, err)
	defer other.Close()
	require.NotEqual(t, door.Number, other.Number)
}

// Jobs that differ in what both must know alike refuse each other at once; others exchange messages.
func TestGreet(t *testing.T) {
	door, err := Open(11, 0)
	require.NoError(t, err)
	defer door.Close()
	own := Hello{Version: 3, ID: 11, Number: door.Number, Calls: "--check"}
	for _, c := range []struct {
		other Hello
		text  string
	}{
		{Hello{Version: 3, Calls: "--check"}, ""},
		{Hello{Version: 4, Calls: "--check"}, "another version"},
		{Hello{Version: 3}, "start both alike"},
		{Hello{Version: 3, Calls: "--check", Devices: 2}, "network devices"},
	} {
		near, err := dial(door.Number)
		require.NoError(t, err)
		far, err := door.Accept()
		require.NoError(t, err)
		heard := make(chan error)
		go func() { _, err := near.Greet(c.other); heard <- err }()
		other, err := far.Greet(own)
		theirs := <-heard
		if c.text != "" {
			require.ErrorContains(t, err, c.text)
			require.ErrorContains(t, theirs, c.text)
		} else {
			require.NoError(t, err)
			require.NoError(t, theirs)
			require.Equal(t, c.other, other)
			near.Send(Message{Ends: []End{{2, true}}})
			m, err := far.Receive()
			require.NoError(t, err)
			require.Equal(t, Message{Ends: []End{{2, true}}}, m)
			near.Close()
			_, err = far.Receive()
			require.Error(t, err)
		}
		near.Close()
		far.Close()
	}
}

// A service is published once at a time.
func TestServe(t *testing.T) {
	service := t.Name()
	port := job.Port{Job: 1, Of: 2, Rank: 3, Number: 4}.String()
	socket, err := serve(service, port)
	require.NoError(t, err)
	_, err = serve(service, port)
	require.ErrorIs(t, err, sys.ErrNameTaken)
	found, err := job.PublishedElsewhere(service)
	require.NoError(t, err)
	require.Equal(t, port, found)
	require.NoError(t, socket.Close())
	_, err = job.PublishedElsewhere(service)
	require.ErrorIs(t, err, job.ErrName)
}

// Send does not wait for the other end, keeps the order, and closes the link after a refusal.
func TestSendDoesNotWait(t *testing.T) {
	door, err := Open(23, 0)
	require.NoError(t, err)
	defer door.Close()
	near, err := dial(door.Number)
	require.NoError(t, err)
	defer near.Close()
	far, err := door.Accept()
	require.NoError(t, err)
	defer far.Close()
	sent := make(chan struct{})
	near.Put(func() { <-sent }) // a message that the other end does not take
	near.Send(Message{Nodes: []int{0}})
	near.Send(Message{Refused: "no room"})
	close(sent)
	near.Flush()
	for _, want := range []Message{{Nodes: []int{0}}, {Refused: "no room"}} {
		m, err := far.Receive()
		require.NoError(t, err)
		require.Equal(t, want, m)
	}
	_, err = far.Receive()
	require.Error(t, err)
}
