package launcher

import (
	"encoding/binary"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/sys"
)

func controlPair(t *testing.T) (a, b *control) {
	t.Helper()
	fa, fb, err := sys.ControlPair()
	require.NoError(t, err)
	a, err = newControl(fa)
	require.NoError(t, err)
	b, err = newControl(fb)
	require.NoError(t, err)
	t.Cleanup(func() {
		a.close()
		b.close()
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
				err = a.send(&request{Create: &createRequest{Apps: []hostApp{{Path: long, Name: "\xff"}}}}, far)
			}
			if err == nil {
				err = a.send(&request{Guard: i + 1})
			}
			near.Close()
			far.Close()
			if err != nil {
				sent <- err
				return
			}
		}
		sent <- a.close()
	}()
	for i := range messages {
		var req request
		files, err := b.receive(&req)
		require.NoError(t, err)
		require.Len(t, files, 1)
		require.Len(t, req.Create.Apps[0].Path, i*20_000)
		require.Equal(t, "\xff", req.Create.Apps[0].Name)
		text, err := io.ReadAll(files[0])
		require.NoError(t, err)
		require.Equal(t, []byte{byte(i)}, text)
		closeAll(files)
		var note request
		files, err = b.receive(&note)
		require.NoError(t, err)
		require.Empty(t, files)
		require.Equal(t, i+1, note.Guard)
		require.False(t, note.wantsReply())
	}
	require.NoError(t, <-sent)
	_, err := b.receive(new(request))
	require.ErrorIs(t, err, io.EOF)
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
		_, err := a.conn.Write(raw)
		require.NoError(t, err)
		require.NoError(t, a.close())
		_, err = b.receive(new(request))
		require.Error(t, err, name)
	}
}

// A host survives requests that make no sense; only the end of the connection
// ends it.
func TestHostRefusesNonsense(t *testing.T) {
	a, b := controlPair(t)
	h := newHost(b)
	served := make(chan error, 1)
	go func() { served <- h.serve() }()
	for _, req := range []request{
		{},
		{Spawn: &spawnRequest{}},
		{Memory: true},
		{Create: &createRequest{Tasks: 1, Total: 1, Apps: make([]hostApp, 1)}},
		{Create: &createRequest{Tasks: -1}},
	} {
		_, err := a.call("try", req)
		var host *HostError
		require.ErrorAs(t, err, &host)
	}
	null, err := os.Open(os.DevNull)
	require.NoError(t, err)
	defer null.Close()
	_, err = a.call("map", request{Memory: true}, null)
	require.ErrorContains(t, err, "job")
	require.NoError(t, a.close())
	require.ErrorIs(t, <-served, io.EOF)
}
