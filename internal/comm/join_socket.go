package comm

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/internal/sys"
)

// ErrOtherJob means that a process of another job was to be joined, and one of the two cannot be reached.
var ErrOtherJob = errors.New("the other process is of another job, and these jobs cannot be connected: " +
	"start both processes by pvasrun, on one node")

// JoinSocket returns the intercommunicator of two processes that have the ends of a socket; self is Comm.Self. Each
// sends the other the name of a port, and a line break.
//
// MPI 4.1 section 11.10.5 (MPI_Comm_join).
func JoinSocket(self *Comm, fd int) (*Comm, error) {
	const op = "join"
	mine, err := OpenPort(self)
	if err != nil {
		return nil, err
	}
	defer func() { _ = ClosePort(self, mine) }()
	theirs, err := self.swapLines(fd, mine)
	if err != nil {
		return nil, Wrap(op, err)
	}
	p, err := job.ParsePort(theirs)
	own, _ := job.ParsePort(mine)
	switch {
	case err != nil:
		return nil, Wrap(op, err)
	case p.Job != own.Job && (p.Of == 0 || own.Of == 0):
		return nil, Wrap(op, ErrOtherJob)
	case p.Job < own.Job || p.Job == own.Job && p.Rank < own.Rank:
		return Connect(self, theirs, 0)
	}
	from, err := self.atPort(p)
	if err != nil {
		return nil, Wrap(op, err)
	}
	return self.accept(mine, 0, from)
}

// swapLines sends a line over a socket, and receives one. It waits as for a message, and another goroutine for the
// socket: so the hang report names the call, and messages of the rank move on. It ends when the other end is closed, by
// the end of its process at the latest.
func (c *Comm) swapLines(fd int, line string) (string, error) {
	f, err := sys.DupCloexec(fd, "socket")
	if err != nil {
		return "", fmt.Errorf("descriptor %d: %w", fd, err)
	}
	defer f.Close()
	var over atomic.Bool
	var got string
	var failed error
	signalled := make(chan struct{}) // closed when the goroutine no longer uses the inbox, whose memory may go
	go func() {
		defer close(signalled)
		got, failed = swapLines(f, line)
		over.Store(true)
		Notify(c, c.rank)
	}()
	err = Await(c, over.Load, func() job.Waiting {
		return job.Waiting{Op: job.OpWait, Context: c.context, Others: true,
			Collective: job.Collective{Name: "the other end of the socket", Communicator: c.Name()}}
	})
	if err != nil {
		sys.StopSocket(f) // MPI is over, and so is the wait
	}
	<-signalled
	return got, cmp.Or(err, failed)
}

func swapLines(f *os.File, line string) (string, error) {
	for rest := []byte(line + "\n"); len(rest) > 0; {
		n, err := sys.SendWithFiles(f, rest, nil) // which a broken connection ends without a signal
		if err != nil {
			return "", err
		}
		rest = rest[n:]
	}
	var got []byte
	for b := []byte{0}; len(got) <= maxLine; got = append(got, b[0]) {
		if _, err := io.ReadFull(f, b); err != nil {
			return "", fmt.Errorf("the other process has not answered: %w", err)
		}
		if b[0] == '\n' {
			return string(got), nil
		}
	}
	return "", errors.New("the other process has not sent the name of a port")
}

// maxLine is the longest name of a port.
const maxLine = 1024
