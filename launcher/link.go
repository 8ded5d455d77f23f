package launcher

import (
	"bufio"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/launcher/internal/part"
)

// A link is the control connection between the leader, the pvasrun that the user has started,
// and an agent, the pvasrun of a node. It is the standard input and output of the command that
// has started the agent (ssh). So it has the protection of that command, no port is opened, and
// it ends when either side ends. Where one command starts all agents it is a TCP connection with
// the same properties: join.go.
//
//	leader --- greeting, then orders ---> agent
//	       <-- linkMagic, then notes ----
//
// Both sides send gobs, each with a newline behind it: srun passes on whole lines, and holds
// back the rest. The agent begins with linkMagic, since the output of a login shell may
// come before. Each side sends signs of life (beat), and takes the other for dead when it hears
// nothing for Nodes.Timeout. A reader never waits for anything but the connection, so a busy
// reader is not taken for a dead peer. Output and input are held back by their senders
// (flowWindow).
const (
	linkMagic   = "\x00pvasrun agent\n"
	linkVersion = 5
	mostBanner  = 64 << 10
	flowWindow  = 256 << 10 // bytes of a stream that may be underway
	beatsPerEnd = 10        // beats in a time-out; silence is noticed one before its end
)

// A greeting is the first thing that an agent reads.
type greeting struct {
	Version int
	Timeout time.Duration
	Check   bool // say all that CheckNodes asks
}

// A start is the first order: the job, when all agents have answered the greeting.
type start struct {
	Job            Job    // what of it can be sent, with the ranks of the node
	Stack          uint64 // limit of the leader, see stackHere
	Env            []string
	Dir            string
	Input, Verbose bool // there is input, or a log
	Instruments    []string
}

// An order is a message of the leader after the greeting.
type order struct {
	part.Order
	Start    *start
	Pause    bool // the leader is about to be stopped: no beats come
	Input    []byte
	InputEnd bool
	Took     int   // bytes of output that were passed on
	TookData int   // bytes of instruments that were taken
	Clock    int64 // of the leader: the agent answers with its own
}

// A note is a message of an agent.
type note struct {
	part.Note
	Beat       bool // a sign of life, no more
	Ready      *ready
	Started    int // ranks
	Output     []byte
	Errors     bool           // Output is of the standard error
	Took       int            // bytes of input that were passed on
	Asked      syscall.Signal // a signal has asked the agent to end
	Log        string
	Clock      *clockTime
	Data       []byte // that an instrument has written
	Instrument string
	Finished   *finished
}

// ready answers the greeting.
type ready struct {
	Version   int
	Hostname  string
	CPUs      int    // that ranks may use there
	Network   string // a mark of the network namespace
	Addresses []netip.Prefix
	Names     []string // of the devices that have them
	Down      []string // devices of a check whose link is down
	Kernel    string
	Files     uint64     // limit on open files
	Space     string     // why ranks do not share an address space there; "": they do
	Clock     time.Time  // when this was written
	Reached   netip.Addr // by which ssh has reached the node, if it has
}

// finished is the last note.
type finished struct {
	BTL    job.BTL
	Reason string
	Code   int
	Err    string // why the job could not be started; "": it was
}

// link is one end. Any goroutine may send; one receives.
type link struct {
	in      *bufio.Reader
	dec     *gob.Decoder
	enc     *gob.Encoder
	to      *bufio.Writer // of enc
	mu      sync.Mutex    // of enc and to
	out     queue         // messages sent without waiting
	heard   atomic.Int64
	paused  atomic.Bool
	muted   atomic.Bool
	timeout time.Duration
}

func newLink(r io.Reader, w io.Writer) *link {
	l := &link{to: bufio.NewWriter(w)}
	l.in = bufio.NewReader(&hearing{r, l})
	l.dec, l.enc = gob.NewDecoder(l.in), gob.NewEncoder(l.to) // the decoder reads no byte beyond a gob
	l.heard.Store(time.Now().UnixNano())
	return l
}

// send waits until the message is on its way.
func (l *link) send(message any) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.muted.Load() {
		return io.ErrClosedPipe
	}
	if err := l.enc.Encode(message); err != nil {
		return err
	}
	_ = l.to.WriteByte('\n') // an error shows again in Flush
	return l.to.Flush()
}

// mute drops all later messages. It does not wait for the one that is being sent, which may
// never end.
func (l *link) mute() { l.muted.Store(true) }

// post sends without waiting. An error shows in the other direction.
func (l *link) post(message any) { l.out.put(func() { _ = l.send(message) }) }

func (l *link) receive(message any) error {
	err := l.dec.Decode(message)
	if err == nil {
		_, err = l.in.ReadByte() // the newline
	}
	return err
}

// hearing is the reader of a link. Every piece of a message is a sign of life: the programs
// that a job preloads may take long.
type hearing struct {
	from io.Reader
	l    *link
}

// Read implements io.Reader.
func (h *hearing) Read(b []byte) (int, error) {
	n, err := h.from.Read(b)
	h.l.heard.Store(time.Now().UnixNano())
	return n, err
}

// awaitMagic skips the bytes before linkMagic. If that does not come, the error has these bytes.
func (l *link) awaitMagic() error {
	var banner strings.Builder
	for banner.Len() < mostBanner {
		text, err := l.in.ReadString('\n')
		if i := strings.Index(text, linkMagic); i >= 0 {
			return nil
		}
		banner.WriteString(text)
		if err != nil {
			break
		}
	}
	if text := strings.TrimSpace(banner.String()); text != "" {
		return fmt.Errorf("it said: %s", lastLines(text))
	}
	return io.ErrUnexpectedEOF
}

// lastLines shortens a text for a message.
func lastLines(text string) string {
	const most = 300
	text = strings.TrimSpace(text)
	if len(text) > most {
		text = "..." + text[len(text)-most:]
	}
	return strings.ReplaceAll(text, "\n", "; ")
}

// errSilent says that the other side has not been heard of for too long.
var errSilent = errors.New("nothing was heard from it in time")

// beat sends signs of life until stop is closed. It calls silent when none have come for the
// time-out. The time-out is counted in beats of this goroutine: a machine that was stopped
// itself does not blame the other side.
func (l *link) beat(sign any, stop <-chan struct{}, silent func()) {
	every := l.timeout / beatsPerEnd
	tick := time.NewTicker(every)
	defer tick.Stop()
	missed := 0
	last := l.heard.Load()
	for {
		select {
		case <-stop:
			return
		case <-tick.C:
		}
		l.post(sign)
		if now := l.heard.Load(); now != last || l.paused.Load() {
			last, missed = now, 0
			continue
		}
		if missed++; missed >= beatsPerEnd-1 {
			silent()
			return
		}
	}
}

// A window holds back a sender of bytes until the other side has passed them on.
type window struct {
	mu     sync.Mutex
	cond   sync.Cond
	used   int
	closed bool
}

func newWindow() *window {
	w := &window{}
	w.cond.L = &w.mu
	return w
}

// take waits until the window has bytes free. It returns false when the window was closed.
func (w *window) take(n int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.used > 0 && w.used+n > flowWindow && !w.closed {
		w.cond.Wait()
	}
	w.used += n
	return !w.closed
}

func (w *window) give(n int) {
	w.mu.Lock()
	w.used -= n
	w.mu.Unlock()
	w.cond.Broadcast()
}

func (w *window) close() {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	w.cond.Broadcast()
}
