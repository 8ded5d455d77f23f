package output

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"golang.org/x/term"

	"github.com/gopvas/gopvas/internal/node/sys"
)

// TerminalInput passes the input of a terminal to a rank. It reads only while this process is in the foreground of the
// terminal, there is something to read, and the rank waits for it. What is typed meanwhile stays in the terminal, so
// the shell gets what no rank has read. In the background a read would stop this process.
type TerminalInput struct {
	from, to *os.File
	awaited  func() bool
	quit     *os.File // its other end is closed to end run
	end      *os.File
}

// TerminalOf is an input that is a terminal, nil if it is none.
func TerminalOf(in io.Reader) *os.File {
	if f, ok := in.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return f
	}
	return nil
}

// Answers tells whether what a rank reads from in may be an answer to what it has written: a terminal, a pipe or a
// socket, not a file.
func Answers(in io.Reader) bool {
	f, ok := in.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && (info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) != 0 || TerminalOf(in) != nil)
}

// aside is how long typed input is left to others: no event tells that this process has come to the foreground, or that
// a rank waits.
const aside = 100 * time.Millisecond

// PassTerminal begins to pass input on, until close. It closes to. awaited tells whether somebody waits for input.
func PassTerminal(from, to *os.File, awaited func() bool) (*TerminalInput, error) {
	quit, end, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("launcher: pass the terminal's input: %w", err)
	}
	t := &TerminalInput{from, to, awaited, quit, end}
	go t.run()
	return t, nil
}

// ReadTerminal is PassTerminal to a pipe, from which the caller reads.
func ReadTerminal(from *os.File, awaited func() bool) (t *TerminalInput, piped io.ReadCloser, err error) {
	near, far, err := sys.Pipe(true)
	if err != nil {
		return nil, nil, err
	}
	if t, err = PassTerminal(from, near, awaited); err != nil {
		return nil, nil, errors.Join(err, near.Close(), far.Close())
	}
	return t, far, nil
}

func (t *TerminalInput) Close() { t.end.Close() }

func (t *TerminalInput) run() {
	defer t.quit.Close()
	defer t.to.Close()
	b := make([]byte, 4<<10) // a line of a terminal
	for {
		ready, err := sys.AwaitInput(t.from, t.quit, -1)
		if err != nil {
			return
		}
		if !ready {
			continue
		}
		n, err, read := 0, error(nil), sys.Foreground(t.from) && t.awaited()
		if read {
			n, err = sys.ReadTerminal(t.from, b)
		}
		if (!read || !sys.Foreground(t.from)) && n == 0 {
			if t.leave() {
				return
			}
			continue
		}
		if n == 0 || err != nil {
			return // end of input, or the terminal is gone
		}
		if _, err := t.to.Write(b[:n]); err != nil {
			return // the rank reads no more
		}
	}
}

// leave waits for aside; true means that it is time to end.
func (t *TerminalInput) leave() bool {
	_, err := sys.AwaitInput(t.quit, t.quit, aside)
	return err != nil
}
