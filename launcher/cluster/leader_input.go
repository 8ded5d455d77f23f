package cluster

import (
	"slices"

	"github.com/gopvas/gopvas/launcher"
	"github.com/gopvas/gopvas/launcher/internal/output"
	"github.com/gopvas/gopvas/launcher/internal/part"
)

// reads tells whether a rank of the agent gets the input.
func (a *remote) reads() bool {
	return a.l.job.Stdin != nil && slices.ContainsFunc(a.ranks, func(rank int) bool {
		return part.Readers(a.l.job.StdinTo).Has(rank, a.l.size)
	})
}

func passInput(j *launcher.Job, agents []*remote) (*leaderInput, error) {
	in := &leaderInput{from: j.Stdin}
	for _, a := range agents {
		if a.reads() {
			in.agents = append(in.agents, a)
		}
	}
	if terminal := output.TerminalOf(j.Stdin); terminal != nil {
		awaited := in.agents[0].awaited
		if part.Readers(j.StdinTo) == part.AllReaders { // some rank may wait
			awaited = func() bool { return true }
		}
		t, piped, err := output.ReadTerminal(terminal, awaited)
		if err != nil {
			return nil, err
		}
		in.terminal, in.from, in.piped = t, piped, piped
	}
	go in.run()
	return in, nil
}

// run reads until the input or the job ends. A read that waits then is left to itself.
func (in *leaderInput) run() {
	for {
		b := make([]byte, 32<<10)
		n, err := in.from.Read(b)
		for _, a := range in.agents {
			if n > 0 && !a.window.take(n) {
				return
			}
			a.link.Post(order{Input: b[:n], InputEnd: err != nil})
		}
		if err != nil {
			return
		}
	}
}

func (in *leaderInput) close() {
	for _, a := range in.agents {
		a.window.close()
	}
	if in.terminal != nil {
		in.terminal.Close()
		_ = in.piped.Close() // nobody reads any more
	}
}

// An agent is asked whether its rank waits for input, and answers once.
const (
	notAsked = iota
	inputAsked
	inputAwaited
)

// awaited tells whether the rank waits for input, as far as the agent has said. What was sent before it was asked is
// with the rank when it answers.
func (a *remote) awaited() bool {
	if a.input.CompareAndSwap(notAsked, inputAsked) {
		a.link.Post(order{InputAsked: true})
	}
	return a.input.CompareAndSwap(inputAwaited, notAsked)
}

// told is told the answer.
func (a *remote) told(r *reader) {
	if r.Waits {
		a.input.Store(inputAwaited)
	} else {
		a.input.Store(notAsked)
	}
}
