package output

import (
	"bytes"
	"errors"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/gopvas/gopvas/internal/node/sys"
)

// Output is line-atomic: the output of a rank reaches Stdout in whole lines, never
// with another rank's text in between. A last line without a newline is passed
// on when the rank closes the stream. A line longer than maxLine is passed on in
// pieces of that length, and pieces of other ranks' output may come between.
// Without a prefix the bytes of a rank arrive exactly as it wrote them; with one
// every piece becomes a line of its own. A job of one rank has nobody to
// interleave with, so its output passes through at once, prompts included.
//
// A rank whose input somebody may type, or answer, has prompts: text that has no newline after promptAfter is passed
// on. But text in whole blocks is not, since a program has filled its buffer, and not flushed it: the line goes on.
const (
	promptAfter = 30 * time.Millisecond
	stdioBlock  = 4096 // bytes of a buffer of C for a pipe

	firstBuffer = 4 << 10 // per stream; a thousand ranks have two thousand of them
	maxLine     = 64 << 10
	// DrainTime is how long the end of the job waits for a stream that somebody
	// outside the job still holds open.
	DrainTime = time.Second
	// lastWords is how long the word on the end of a rank waits for what the rank has written, likewise.
	lastWords = 200 * time.Millisecond
)

// A place is a file or terminal that sinks write to.
type place struct {
	mu   sync.Mutex
	open bool // the last bytes written do not end a line
}

// A Sink is one destination shared by all ranks.
type Sink struct {
	*place // one for both sinks where they are the same file or terminal
	w      io.Writer
	err    error // the first error of w; nothing is written after it
	// failed is told once when w fails.
	failed func(error)
}

// NewSinks returns the destinations of the standard output and error.
func NewSinks(stdout, stderr io.Writer, failed func(error)) (out, errs *Sink) {
	out = &Sink{place: new(place), w: OrDiscard(stdout), failed: failed}
	errs = &Sink{place: new(place), w: OrDiscard(stderr), failed: func(error) {}}
	if sameFile(stdout, stderr) {
		errs.place = out.place
	}
	return out, errs
}

func OrDiscard(w io.Writer) io.Writer {
	if w == nil {
		return io.Discard
	}
	return w
}

func sameFile(a, b io.Writer) bool {
	if a == b {
		return true
	}
	f, ok1 := a.(*os.File)
	g, ok2 := b.(*os.File)
	if !ok1 || !ok2 {
		return false
	}
	fi, err1 := f.Stat()
	gi, err2 := g.Stat()
	return err1 == nil && err2 == nil && os.SameFile(fi, gi)
}

// Write passes text on. After an error it swallows everything, so that ranks
// never block on a destination that is gone while they are being ended.
func (s *Sink) Write(b []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writeLocked(b)
}

// WriteLine is write for a line of its own: a rank's line that has no end yet is
// ended before.
func (s *Sink) WriteLine(line []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open {
		line = append([]byte{'\n'}, line...)
	}
	s.writeLocked(line)
}

func (s *Sink) writeLocked(b []byte) {
	if s.err != nil || len(b) == 0 {
		return
	}
	s.open = b[len(b)-1] != '\n'
	if _, err := s.w.Write(b); err != nil {
		s.err = err
		s.failed(err)
	}
}

// A stream carries one output stream of one rank to its sink.
type stream struct {
	sink   *Sink
	prefix func(to []byte) []byte // appends what stands before every line; nil: none
	raw    bool                   // pass on without waiting for the end of the line
	buf    []byte                 // text of an unfinished line
	rank   int

	prompts  time.Duration // after which an unfinished line is passed on; 0: never
	total    int           // bytes read
	draining *atomic.Bool  // of Streams
}

// NewStream returns a stream whose lines begin with a prefix, which a function appends; nil: they have none.
func NewStream(s *Sink, rank int, prefix func([]byte) []byte, alone, prompts bool) *stream {
	st := &stream{sink: s, raw: alone && prefix == nil, buf: make([]byte, 0, firstBuffer), rank: rank, prefix: prefix}
	if prompts {
		st.prompts = promptAfter
	}
	return st
}

// copy passes on everything r gives until it ends, or until a read has waited in
// vain for the deadline that drain sets.
func (st *stream) copy(r *os.File) {
	for {
		if len(st.buf) == cap(st.buf) {
			st.makeRoom()
		}
		n, err := st.read(r)
		st.buf = st.buf[:len(st.buf)+n]
		if err != nil {
			st.emit(len(st.buf))
			return
		}
		if st.raw {
			st.emit(len(st.buf))
			continue
		}
		fresh := len(st.buf) - n
		if end := bytes.LastIndexByte(st.buf[fresh:], '\n'); end >= 0 {
			st.emit(fresh + end + 1)
		}
	}
}

// read reads behind the text in the buffer. A deadline that passed while the
// text before was being written says nothing about the pipe, so it is set anew
// once: there may be text to read.
func (st *stream) read(r *os.File) (n int, err error) {
	defer func() { st.total += n }()
	if st.prompts > 0 && len(st.buf) > 0 && st.total%stdioBlock != 0 {
		r.SetReadDeadline(time.Now().Add(st.prompts))
		n, err = r.Read(st.buf[len(st.buf):cap(st.buf)])
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
		st.emit(len(st.buf))
	}
	// Drain says that it drains before it sets its deadline, so that stays if it is not seen here.
	if st.prompts > 0 && !st.draining.Load() {
		r.SetReadDeadline(time.Time{})
	}
	room := st.buf[len(st.buf):cap(st.buf)]
	n, err = r.Read(room)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		r.SetReadDeadline(time.Now().Add(DrainTime))
		n, err = r.Read(room)
	}
	return n, err
}

// makeRoom grows the buffer for a long line, up to maxLine.
func (st *stream) makeRoom() {
	if cap(st.buf) >= maxLine {
		st.emit(len(st.buf))
		return
	}
	grown := make([]byte, len(st.buf), min(4*cap(st.buf), maxLine))
	copy(grown, st.buf)
	st.buf = grown
}

// emit passes on the first n bytes of the buffer as one write.
func (st *stream) emit(n int) {
	out := st.buf[:n]
	if st.prefix != nil && n > 0 {
		out = st.prefixed(out)
	}
	st.sink.Write(out)
	st.buf = st.buf[:copy(st.buf, st.buf[n:])]
}

// prefixed puts the prefix before each line and ends the last one.
func (st *stream) prefixed(text []byte) []byte {
	var out []byte
	for line := range bytes.Lines(text) {
		out = append(st.prefix(out), line...)
	}
	if out[len(out)-1] != '\n' {
		out = append(out, '\n')
	}
	return out
}

// Streams are all the pipes that a job reads.
type Streams struct {
	readers sync.WaitGroup
	mu      sync.Mutex
	pipes   []*os.File
	open    map[int][]chan struct{} // by rank; each is closed when all of a pipe has been passed on

	draining atomic.Bool
}

// Open makes a pipe for a stream and starts to read it. The caller closes the
// returned end when the rank has it.
func (s *Streams) Open(st *stream) (*os.File, error) {
	near, far, err := sys.Pipe(false)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.pipes = append(s.pipes, near)
	if s.open == nil {
		s.open = map[int][]chan struct{}{}
	}
	ended := make(chan struct{})
	s.open[st.rank] = append(s.open[st.rank], ended)
	s.mu.Unlock()
	st.draining = &s.draining
	s.readers.Go(func() {
		st.copy(near)
		near.Close()
		close(ended)
	})
	return far, nil
}

// LastWords returns when all that a dead rank has written has been passed on. It returns soon if another process still
// holds the streams, or their reader does not read.
func (s *Streams) LastWords(rank int) {
	s.mu.Lock()
	pipes := s.open[rank]
	delete(s.open, rank)
	s.mu.Unlock()
	limit := time.After(lastWords)
	for _, ended := range pipes {
		select {
		case <-ended:
		case <-limit:
			return
		}
	}
}

// Drain returns when everything has been passed on, or when GiveUp is closed. When
// it begins every process of the job is dead. So a pipe that stays open is held by
// a stranger, for which it waits twice DrainTime at most.
func (s *Streams) Drain(giveUp <-chan struct{}) {
	done := make(chan struct{})
	go func() {
		s.readers.Wait()
		close(done)
	}()
	s.draining.Store(true)
	s.mu.Lock()
	for _, p := range s.pipes {
		p.SetReadDeadline(time.Now().Add(DrainTime)) // an error: read to its end, and closed
	}
	s.mu.Unlock()
	select {
	case <-done:
	case <-giveUp:
	}
}

// IsClosedPipe reports whether an error of a destination is what a program
// would have got a SIGPIPE for.
func IsClosedPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }
