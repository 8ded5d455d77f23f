package wire

import (
	"bufio"
	"bytes"
	"encoding/gob"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A type is described once in a direction, what cannot be sent is no part of the stream, and the queue keeps the order.
func TestMessages(t *testing.T) {
	type text struct{ S string }
	var conn bytes.Buffer
	out := New(strings.NewReader(""), bufio.NewWriter(&conn))
	require.NoError(t, out.Send(text{"first"}))
	described := conn.Len()
	require.Error(t, out.Send(make(chan int)))
	hold := make(chan struct{})
	out.Put(func() { <-hold })
	out.Post(text{"other"})
	out.Post(text{strings.Repeat("x", 1<<20)})
	close(hold)
	out.Flush()
	require.Less(t, conn.Len()-1<<20, 2*described, "the type is not described again")
	out.Mute()
	require.ErrorIs(t, out.Send(text{"too late"}), io.ErrClosedPipe)

	in := New(&conn, bufio.NewWriter(io.Discard))
	for _, want := range []string{"first", "other", strings.Repeat("x", 1<<20)} {
		var got text
		require.NoError(t, in.Receive(&got))
		require.Equal(t, want, got.S)
	}
	require.ErrorIs(t, in.Receive(new(text)), io.EOF)
}

// A connection may carry other things between the messages of a link.
func TestNothingIsReadBeyondAMessage(t *testing.T) {
	var conn bytes.Buffer
	enc := gob.NewEncoder(&conn)
	for range 2 {
		require.NoError(t, enc.Encode(7))
		conn.WriteByte('\n')
	}
	in := New(&conn, bufio.NewWriter(io.Discard))
	for range 2 {
		var n int
		require.NoError(t, in.Receive(&n))
		require.Equal(t, 7, n)
		b, err := conn.ReadByte()
		require.NoError(t, err)
		require.Equal(t, byte('\n'), b)
	}
}
