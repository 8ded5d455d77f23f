package wire

import (
	"encoding/gob"
	"io"
	"sync"
	"sync/atomic"

	"github.com/gopvas/gopvas/launcher/internal/output"
)

// A Link is one end of a connection. A direction is a stream of gobs (text of users need not be UTF-8, so no JSON), in
// which a type is described once. So nobody may take a message out of the stream: one that is not sent as a whole ends
// the direction. Any goroutine sends, one receives.
type Link struct {
	// Queue sends without waiting. What is put there runs behind the messages before it, and must use Send.
	output.Queue
	mu    sync.Mutex // of enc and to: a message may take several writes
	enc   *gob.Encoder
	to    Writer
	dec   *gob.Decoder
	muted atomic.Bool
}

// A Writer takes a message in pieces, and sends it at Flush: a bufio.Writer does.
type Writer interface {
	io.Writer
	Flush() error
}

// New returns the link over a connection. It reads no byte beyond a message if from is an io.ByteReader.
func New(from io.Reader, to Writer) *Link {
	return &Link{enc: gob.NewEncoder(to), to: to, dec: gob.NewDecoder(from)}
}

// Send waits until the message is on its way.
func (l *Link) Send(message any) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.muted.Load() {
		return io.ErrClosedPipe
	}
	if err := l.enc.Encode(message); err != nil {
		return err
	}
	return l.to.Flush()
}

// Post sends without waiting. An error shows in the other direction.
func (l *Link) Post(message any) { l.Put(func() { _ = l.Send(message) }) }

// Mute drops all later messages. It does not wait for the one that is being sent, which may never end.
func (l *Link) Mute() { l.muted.Store(true) }

// Receive waits for the next message. At the end of the connection, between messages, the error is io.EOF.
func (l *Link) Receive(message any) error { return l.dec.Decode(message) }
