package host

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/gopvas/gopvas/internal/sys"
	"github.com/gopvas/gopvas/launcher/internal/output"
	"github.com/gopvas/gopvas/pvas"
)

// The supervisor and the space host talk over a pair of unix stream sockets.
// A message is a header and a body. The header is the length of the body in 8 bytes,
// little endian; the descriptors of the message are attached to it. The body is a gob
// (text of users need not be UTF-8, so no JSON). The supervisor asks; every request
// but those marked below is answered by one reply. The host says nothing by
// itself. Both ends are the same executable, so there is no version to check.
const (
	headerSize = 8
	MaxMessage = 64 << 20 // arguments and environments of all apps, and more

	fresh = 1 << 63 // of the length in a header: a stream of gobs begins
)

// A Request is one message to the host; exactly one field is set.
type Request struct {
	Create *CreateRequest // make the address space
	Memory bool           // map the job's memory; file: its memfd
	Spawn  *SpawnRequest  // start a rank; files: its standard three
	Add    []App          // look at further programs, which are numbered after those that are there
	Guard  int            // no reply: kill this process group when the supervisor is gone
	Forget int            // no reply: the process group is gone
}

type CreateRequest struct {
	Tasks         int // ranks here
	Spare         int // ranks that may be added
	Total         int // ranks of the job, with those that may be added
	PartitionSize uint64
	HugePages     bool
	ID            string // of the job, see EnvID
	Apps          []App
}

// A App is an App as its ranks are started.
type App struct {
	Path string   // the argument of execve
	Name string   // base name, for comm and messages
	Args []string // first the program as the user gave it
	Env  []string // that its ranks share
	Dir  string

	NoEnv bool     // without the supervisor's environment
	Unset []string // names that are left out of it

	Threads int // of OpenMP in each rank, unless the environment says how many; 0: that is left to it
}

type SpawnRequest struct {
	Rank, App int
	Number    int // of the rank in the job
	InWorld   int // its number there
	Local     int // its number among those of its world on this node
	Nice      int // is added to the niceness of the host
	CPUs      []int
}

// A reply answers a request. Err is the text of an error, "" for success.
type reply struct {
	Err    string
	Pid    int
	Tasks  int // partitions that were made
	Layout pvas.Layout
}

// WantsReply says whether the host answers.
func (r *Request) WantsReply() bool { return r.Guard == 0 && r.Forget == 0 }

// A Control is one end of the connection. Any goroutine sends, one receives. The bodies of a direction are a stream of
// gobs, in which a type is described once. A message that was not sent ends it: what that describes is missing. The
// next one begins another.
type Control struct {
	conn  *os.File
	notes output.Queue

	mu      sync.Mutex // held while a message is sent: it may take several writes
	out     bytes.Buffer
	encoder *gob.Encoder // into out; nil: the next message begins a stream

	in      bytes.Buffer // one body
	decoder *gob.Decoder // from in
}

// NewControl takes the descriptor over; f is closed. The connection is a file,
// not a net.Conn: package net would make pvasrun, and with it every rank of a
// benchmark, a dynamic program that needs a C library.
func NewControl(f *os.File) (*Control, error) {
	defer f.Close()
	conn, err := sys.Pollable(f)
	if err != nil {
		return nil, fmt.Errorf("launcher: control connection: %w", err)
	}
	c := &Control{conn: conn}
	c.decoder = gob.NewDecoder(&c.in)
	return c, nil
}

func (c *Control) Close() error { return c.conn.Close() }

// Send sends a message with descriptors, which stay the caller's.
func (c *Control) Send(message any, files ...*os.File) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.send(message, files)
	if err != nil {
		c.encoder = nil
	}
	return err
}

func (c *Control) send(message any, files []*os.File) error {
	c.out.Reset()
	c.out.Write(make([]byte, headerSize))
	mark := uint64(0)
	if c.encoder == nil {
		c.encoder, mark = gob.NewEncoder(&c.out), fresh
	}
	if err := c.encoder.Encode(message); err != nil {
		return fmt.Errorf("launcher: encode message: %w", err)
	}
	b := c.out.Bytes()
	if len(b)-headerSize > MaxMessage {
		return fmt.Errorf("launcher: message of %d bytes is too long: shorten the arguments or the environment", len(b))
	}
	binary.LittleEndian.PutUint64(b, uint64(len(b)-headerSize)|mark)
	n, err := sys.SendWithFiles(c.conn, b, files)
	if err == nil && n < len(b) {
		_, err = c.conn.Write(b[n:]) // the descriptors went with the first byte
	}
	if err != nil {
		return fmt.Errorf("launcher: send to the other end: %w", err)
	}
	return nil
}

// Call sends a request and waits for its reply. An error of the host, or of the
// connection to it, is a *Error.
func (c *Control) Call(op string, req Request, files ...*os.File) (reply, error) {
	var rep reply
	if err := c.Send(&req, files...); err != nil {
		return rep, &Error{Op: op, Err: err}
	}
	if _, err := c.Receive(&rep); err != nil {
		return rep, &Error{Op: op, Err: err}
	}
	if rep.Err != "" {
		return rep, &Error{Op: op, Err: errors.New(rep.Err)}
	}
	return rep, nil
}

// Note sends a request that has no reply, without waiting for a host that does
// not read. That the host has died or is stopped is noticed elsewhere.
func (c *Control) Note(req Request) { c.notes.Put(func() { c.Send(&req) }) }

// Interrupt ends a call that waits for the host, and every later one, with
// os.ErrDeadlineExceeded. The host may have done the last request.
func (c *Control) Interrupt() { c.conn.SetDeadline(time.Unix(1, 0)) }

// Receive reads a message. The descriptors that came with it are the caller's.
// At the end of the connection, between messages, the error is io.EOF.
func (c *Control) Receive(message any) ([]*os.File, error) {
	var header [headerSize]byte
	// Only the header is asked for: descriptors come with the first byte of
	// their message, and a longer read could run into the next one's.
	n, files, err := sys.ReceiveWithFiles(c.conn, header[:])
	if err != nil {
		return nil, fmt.Errorf("launcher: receive: %w", err)
	}
	if n == 0 {
		return nil, io.EOF
	}
	if err := c.receiveBody(header[:], n, message); err != nil {
		closeAll(files)
		return nil, fmt.Errorf("launcher: receive: %w", err)
	}
	return files, nil
}

func (c *Control) receiveBody(header []byte, have int, message any) error {
	if _, err := io.ReadFull(c.conn, header[have:]); err != nil {
		return err
	}
	length := binary.LittleEndian.Uint64(header)
	if length&fresh != 0 {
		length &^= fresh
		c.decoder = gob.NewDecoder(&c.in)
	}
	if length > MaxMessage {
		return fmt.Errorf("message of %d bytes is too long", length)
	}
	c.in.Reset()
	if _, err := io.CopyN(&c.in, c.conn, int64(length)); errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	} else if err != nil {
		return err
	}
	return c.decoder.Decode(message)
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}

// A Error names the request that the space host could not do.
type Error struct {
	Op  string
	Err error
}

func (e *Error) Error() string { return fmt.Sprintf("launcher: space host: %s: %v", e.Op, e.Err) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// ErrOver says that the fate of the job has been decided meanwhile.
var ErrOver = errors.New("launcher: the job is over")
