package cluster

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/gopvas/gopvas/launcher/internal/wire"
)

// link is one end. Its messages are lines, see linkMagic.
type link struct {
	*wire.Link
	in      *bufio.Reader
	heard   atomic.Int64
	paused  atomic.Bool
	timeout time.Duration
	kernel  func() bool // see kernelOf; nil: nobody knows it
}

func newLink(r io.Reader, w io.Writer) *link {
	l := &link{}
	l.in = bufio.NewReader(&hearing{r, l})
	l.Link = wire.New(l.in, lines{bufio.NewWriter(w)})
	l.heard.Store(time.Now().UnixNano())
	return l
}

// lines ends each message by a newline.
type lines struct{ *bufio.Writer }

// Flush implements wire.Writer.
func (w lines) Flush() error {
	_ = w.WriteByte('\n') // an error shows again in Flush
	return w.Writer.Flush()
}

// Receive waits for the next message.
func (l *link) Receive(message any) error {
	err := l.Link.Receive(message)
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

// awaitMagic skips the bytes before linkMagic, and hands them to said: what a login prints, or why there is no agent.
// Then it checks the version that follows.
func (l *link) awaitMagic(said io.Writer) error {
	var held []byte // what may be the beginning of linkMagic
	for range mostBanner {
		b, err := l.in.ReadByte() // what a login asks has no end of a line
		if err != nil {
			_, _ = said.Write(held) // never fails
			return io.ErrUnexpectedEOF
		}
		held = append(held, b)
		if string(held) == linkMagic {
			return l.checkVersion()
		}
		for !strings.HasPrefix(linkMagic, string(held)) {
			_, _ = said.Write(held[:1])
			held = held[1:]
		}
	}
	return errNoAgent
}

// checkVersion refuses a node whose protocol has another version: this process may not understand its gobs.
func (l *link) checkVersion() error {
	var version [len(linkVersion)]byte
	if _, err := io.ReadFull(l.in, version[:]); err != nil {
		return err
	}
	if string(version[:]) != linkVersion {
		return fmt.Errorf("%w (its version is %s, this one's is %s)", errVersion,
			versionText(string(version[:])), versionText(linkVersion))
	}
	return nil
}

// versionText is a version for people. The first versions did not tell theirs here: what came instead is a gob.
func versionText(version string) string {
	digits, ok := strings.CutSuffix(version, "\n")
	n, err := strconv.ParseUint(digits, 10, 16)
	if !ok || err != nil {
		return "an older one, which it does not tell"
	}
	return strconv.FormatUint(n, 10)
}

var errVersion = errors.New("its pvasrun speaks another version of the protocol: " +
	"install the same version on all nodes")

// errNoAgent says that what runs on a node is no agent.
var errNoAgent = errors.New("what answers is no pvasrun: look at what a login there runs, and at --rsh")

// lastLines shortens a text for a message, and makes it one line that no terminal obeys.
func lastLines(text string) string {
	const most = 300
	text = strings.TrimSpace(text)
	if len(text) > most {
		text = "..." + text[len(text)-most:]
	}
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || r == utf8.RuneError {
			return '?'
		}
		return r
	}, strings.NewReplacer("\r\n", "; ", "\n", "; ", "\t", " ").Replace(text))
}

// beatEvery is the time between two beats of either side.
func beatEvery(timeout time.Duration) time.Duration { return min(timeout/beatsPerEnd, time.Second) }

// errSilent says that the other side has not been heard of for too long.
var errSilent = errors.New("nothing was heard from it in time")

// starvedEnds is how many time-outs the other side may be silent while its kernel answers.
const starvedEnds = 12

// beat sends signs of life until stop is closed. It calls silent when none have come for the time-out and the kernel of
// the other side does not answer either, or is not known. A process that gets no CPU looks the same as one that was
// stopped or hangs: beat calls silent after starvedEnds time-outs. All is counted in beats of this goroutine: a machine
// that was stopped itself does not blame the other side.
func (l *link) beat(sign any, stop <-chan struct{}, silent func(error)) {
	every := beatEvery(l.timeout)
	tick := time.NewTicker(every)
	defer tick.Stop()
	missed, most := 0, int(l.timeout/every)-1
	last := l.heard.Load()
	for {
		select {
		case <-stop:
			return
		case <-tick.C:
		}
		l.Post(sign)
		if now := l.heard.Load(); now != last || l.paused.Load() {
			last, missed = now, 0
			continue
		}
		switch missed++; {
		case missed < most:
		case l.kernel == nil || !l.kernel():
			silent(fmt.Errorf("%w (%v)", errSilent, l.timeout))
			return
		case missed >= starvedEnds*most:
			silent(fmt.Errorf("its kernel answers, but nothing was heard from its pvasrun for %v: it hangs, was "+
				"stopped, or gets no CPU", starvedEnds*l.timeout))
			return
		}
	}
}
