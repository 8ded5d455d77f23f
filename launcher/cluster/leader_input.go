package cluster

import (
	"errors"
	"io"
	"os"

	"github.com/gopvas/gopvas/internal/sys"
	"github.com/gopvas/gopvas/launcher/internal/output"
)

// leaderInput passes the standard input on to the agent of rank 0.
type leaderInput struct {
	from     io.Reader
	terminal *output.TerminalInput // nil: it is no terminal
	agent    *remote
}

func passInput(from io.Reader, a *remote) (*leaderInput, error) {
	in := &leaderInput{from: from, agent: a}
	if terminal := output.TerminalOf(from); terminal != nil {
		near, far, err := sys.Pipe(true)
		if err != nil {
			return nil, err
		}
		if in.terminal, err = output.PassTerminal(terminal, near); err != nil {
			return nil, errors.Join(err, near.Close(), far.Close())
		}
		in.from = far
	}
	go in.run()
	return in, nil
}

// run reads until the input or the job ends. A read that waits then is left to itself.
func (in *leaderInput) run() {
	for {
		b := make([]byte, 32<<10)
		n, err := in.from.Read(b)
		if n > 0 && !in.agent.window.take(n) {
			return
		}
		in.agent.link.post(order{Input: b[:n], InputEnd: err != nil})
		if err != nil {
			return
		}
	}
}

func (in *leaderInput) close() {
	in.agent.window.close()
	if in.terminal != nil {
		in.terminal.Close()
		in.from.(*os.File).Close() // the pipe behind it
	}
}
