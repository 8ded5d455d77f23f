package host

import (
	"encoding/binary"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/sys"
)

func controlPair(t *testing.T) (a, b *Control) {
	t.Helper()
	fa, fb, err := sys.ControlPair()
	require.NoError(t, err)
	a, err = NewControl(fa)
	require.NoError(t, err)
	b, err = NewControl(fb)
	require.NoError(t, err)
	t.Cleanup(func() {
		a.Close()
		b.Close()
	})
	return a, b
}

// Messages keep their bounds, and each descriptor arrives with its own message
// although the sender does not wait for the receiver.
func TestControlCarriesDescriptors(t *testing.T) {
	a, b := controlPair(t)
	const messages = 20
	sent := make(chan error, 1)
	go func() {
		for i := range messages {
			near, far, err := sys.Pipe(true)
			if err == nil {
				_, err = near.Write([]byte{byte(i)})
			}
			if err == nil {
				long := strings.Repeat("x", i*20_000)
				err = a.Send(&Request{Create: &CreateRequest{Apps: []App{{Path: long, Name: "\xff"}}}}, far)
			}
			if err == nil {
				err = a.Send(&Request{Guard: i + 1})
			}
			near.Close()
			far.Close()
			if err != nil {
				sent <- err
				return
			}
		}
		sent <- a.Close()
	}()
	for i := range messages {
		var req Request
		files, err := b.Receive(&req)
		require.NoError(t, err)
		require.Len(t, files, 1)
		require.Len(t, req.Create.Apps[0].Path, i*20_000)
		require.Equal(t, "\xff", req.Create.Apps[0].Name)
		text, err := io.ReadAll(files[0])
		require.NoError(t, err)
		require.Equal(t, []byte{byte(i)}, text)
		closeAll(files)
		var note Request
		files, err = b.Receive(&note)
		require.NoError(t, err)
		require.Empty(t, files)
		require.Equal(t, i+1, note.Guard)
		require.False(t, note.WantsReply())
	}
	require.NoError(t, <-sent)
	_, err := b.Receive(new(Request))
	require.ErrorIs(t, err, io.EOF)
}

// After a message that is not sent the next ones arrive.
func TestControlGoesOnAfterAnUnsentMessage(t *testing.T) {
	a, b := controlPair(t)
	long := &Request{Add: []App{{Path: strings.Repeat("x", MaxMessage)}}}
	require.ErrorContains(t, a.Send(long), "too long")
	require.ErrorContains(t, a.Send(make(chan int)), "chan")
	for i := range 3 {
		require.NoError(t, a.Send(&Request{Guard: i + 1, Add: []App{{Path: "short"}}}))
		var got Request
		_, err := b.Receive(&got)
		require.NoError(t, err)
		require.Equal(t, Request{Guard: i + 1, Add: []App{{Path: "short"}}}, got)
		if i == 0 {
			require.ErrorContains(t, a.Send(long), "too long", "in a stream that has begun")
		}
	}
}

func TestControlRefusesBadMessages(t *testing.T) {
	for name, raw := range map[string][]byte{
		"too long":     binary.LittleEndian.AppendUint64(nil, 1<<62),
		"cut off":      append(binary.LittleEndian.AppendUint64(nil, 100), "short"...),
		"cut header":   {1, 2},
		"no gob":       append(binary.LittleEndian.AppendUint64(nil, 4), "ABCD"...),
		"empty header": {},
	} {
		a, b := controlPair(t)
		_, err := a.pipe.File.Write(raw)
		require.NoError(t, err)
		require.NoError(t, a.Close())
		_, err = b.Receive(new(Request))
		require.Error(t, err, name)
	}
}

// A host survives requests that make no sense; only the end of the connection
// ends it.
func TestHostRefusesNonsense(t *testing.T) {
	a, b := controlPair(t)
	h := NewHost(b)
	served := make(chan error, 1)
	go func() { served <- h.serve() }()
	for _, req := range []Request{
		{},
		{Spawn: &SpawnRequest{}},
		{Memory: true},
		{Create: &CreateRequest{Tasks: 1, Total: 1, Apps: make([]App, 1)}},
		{Create: &CreateRequest{Tasks: -1}},
	} {
		_, err := a.Call("try", req)
		var host *Error
		require.ErrorAs(t, err, &host)
	}
	null, err := os.Open(os.DevNull)
	require.NoError(t, err)
	defer null.Close()
	_, err = a.Call("map", Request{Memory: true}, null)
	require.ErrorContains(t, err, "job")
	require.NoError(t, a.Close())
	require.ErrorIs(t, <-served, io.EOF)
}
