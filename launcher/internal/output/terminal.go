package output

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"golang.org/x/term"

	"github.com/gopvas/gopvas/internal/sys"
)

// TerminalInput passes the input of a terminal to rank 0. It reads only while
// this process is in the foreground of the terminal and there is something to
// read. In the background a read would stop this process, though rank 0 may not
// want to read at all.
type TerminalInput struct {
	from, to *os.File
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

// background is how long typed input is left to its reader in the
// foreground: no event tells that a process has come there.
const background = 100 * time.Millisecond

// PassTerminal begins to pass input on, until close. It closes to.
func PassTerminal(from, to *os.File) (*TerminalInput, error) {
	quit, end, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("launcher: pass the terminal's input: %w", err)
	}
	t := &TerminalInput{from, to, quit, end}
	go t.run()
	return t, nil
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
		n, err := 0, error(nil)
		if sys.Foreground(t.from) {
			n, err = sys.ReadTerminal(t.from, b)
		}
		if !sys.Foreground(t.from) && n == 0 {
			if t.leave() {
				return
			}
			continue
		}
		if n == 0 || err != nil {
			return // end of input, or the terminal is gone
		}
		if _, err := t.to.Write(b[:n]); err != nil {
			return // rank 0 reads no more
		}
	}
}

// leave waits for background; true means that it is time to end.
func (t *TerminalInput) leave() bool {
	_, err := sys.AwaitInput(t.quit, t.quit, background)
	return err != nil
}
