package host

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/launcher/internal/wire"
	"github.com/gopvas/gopvas/pvas"
)

// The supervisor and the space host talk over a pair of unix stream sockets. The descriptors of a message are attached
// to its first byte. The supervisor asks; every request but those marked below is answered by one reply. The host says
// nothing by itself. Both ends are the same executable, so there is no version to check.

// MaxMessage limits the arguments and environments of a request.
const MaxMessage = 64 << 20

// A Request is one message to the host; exactly one field is set.
type Request struct {
	Create *CreateRequest // make the address space
	Memory bool           // map the job's memory; file: its memfd
	Spawn  *SpawnRequest  // start a rank; files: its standard three
	Add    []App          // look at further programs, which are numbered after those that are there
	Guard  int            // no reply: kill this process group when the supervisor is gone
	Forget int            // no reply: the process group is gone
	Raze   bool           // no reply: kill all ranks, and take their memory away before
}

type CreateRequest struct {
	Tasks         int // ranks here
	Spare         int // ranks that may be added
	Total         int // ranks of the job, with those that may be added
	PartitionSize uint64
	HugePages     bool
	SmallPages    bool   // pvasrun itself was started without transparent huge pages
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
func (r *Request) WantsReply() bool { return r.Guard == 0 && r.Forget == 0 && !r.Raze }

// length is about that of the request as a message: of its arguments and environments.
func (r *Request) length() (n int) {
	apps := r.Add
	if r.Create != nil {
		apps = slices.Concat(apps, r.Create.Apps)
	}
	for _, a := range apps {
		n += len(a.Path)
		for _, words := range [][]string{a.Args, a.Env, a.Unset} {
			for _, w := range words {
				n += len(w)
			}
		}
	}
	return n
}

// A Control is one end of the connection. Any goroutine sends, one receives.
type Control struct {
	mu   sync.Mutex // held while a message is sent: descriptors go with their own
	pipe pipe
	link *wire.Link // over pipe
}

// pipe is the connection with its descriptors.
type pipe struct {
	*os.File
	out  bytes.Buffer // the message that is sent
	with []*os.File   // go with it
	came []*os.File   // with the message that is received
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
	c := &Control{pipe: pipe{File: conn}}
	c.link = wire.New(&c.pipe, &c.pipe)
	return c, nil
}

func (c *Control) Close() error { return c.pipe.Close() }

// Send sends a message with descriptors, which stay the caller's.
func (c *Control) Send(message any, files ...*os.File) error {
	if r, ok := message.(*Request); ok {
		if n := r.length(); n >= MaxMessage { // it must not get into the stream
			return fmt.Errorf("launcher: message of %d bytes is too long: shorten the arguments or the environment", n)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pipe.with = files
	return c.link.Send(message)
}

// Write implements wire.Writer.
func (p *pipe) Write(b []byte) (int, error) { return p.out.Write(b) }

// Flush implements wire.Writer.
func (p *pipe) Flush() error {
	defer p.out.Reset()
	b := p.out.Bytes()
	n, err := sys.SendWithFiles(p.File, b, p.with)
	if err == nil && n < len(b) {
		_, err = p.File.Write(b[n:]) // the descriptors went with the first byte
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
func (c *Control) Note(req Request) { c.link.Put(func() { _ = c.Send(&req) }) }

// Interrupt ends a call that waits for the host, and every later one, with
// os.ErrDeadlineExceeded. The host may have done the last request.
func (c *Control) Interrupt() { c.pipe.SetDeadline(time.Unix(1, 0)) }

// Receive reads a message. The descriptors that came with it are the caller's.
// At the end of the connection, between messages, the error is io.EOF.
func (c *Control) Receive(message any) ([]*os.File, error) {
	err := c.link.Receive(message)
	files := c.pipe.came
	c.pipe.came = nil
	if err == nil {
		return files, nil
	}
	closeAll(files)
	if errors.Is(err, io.EOF) {
		return nil, err
	}
	return nil, fmt.Errorf("launcher: receive: %w", err)
}

// Read implements io.Reader. Descriptors come with the first byte of their message, and a read may not run into the
// next one. A link reads to the end of a message only, because a pipe is an io.ByteReader.
func (p *pipe) Read(b []byte) (int, error) {
	n, files, err := sys.ReceiveWithFiles(p.File, b)
	p.came = append(p.came, files...)
	if err == nil && n == 0 {
		err = io.EOF
	}
	return n, err
}

// ReadByte implements io.ByteReader.
func (p *pipe) ReadByte() (byte, error) {
	var b [1]byte
	_, err := io.ReadFull(p, b[:])
	return b[0], err
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
