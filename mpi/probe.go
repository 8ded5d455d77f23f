package mpi

import "github.com/gopvas/gopvas/internal/msg/comm"

// Message is a message that Mprobe has set aside for one Mrecv.
type Message comm.Message

// Probe blocks until there is a message that Recv with the same arguments would
// receive, and leaves it where it is. Its length is in the status. If several
// goroutines receive such messages, another may get it first: use Mprobe.
//
// MPI 4.1 section 3.8.1 (MPI_Probe).
func Probe(c *Comm, src, tag int) (Status, error) { return received(comm.Probe(c.inner(), src, tag)) }

// Iprobe is Probe that does not block: ok tells whether there is a message.
//
// MPI 4.1 section 3.8.1 (MPI_Iprobe).
func Iprobe(c *Comm, src, tag int) (st Status, ok bool, err error) {
	s, ok, err := comm.Iprobe(c.inner(), src, tag)
	return Status(s), ok, err
}

// Mprobe is Probe that sets the message aside: only Mrecv with what it returns will
// receive it, and has to.
//
// MPI 4.1 section 3.8.2 (MPI_Mprobe).
func Mprobe(c *Comm, src, tag int) (Message, Status, error) {
	m, st, err := comm.Mprobe(c.inner(), src, tag)
	return Message(m), Status(st), err
}

// Improbe is Mprobe that does not block: ok tells whether there is a message.
//
// MPI 4.1 section 3.8.2 (MPI_Improbe).
func Improbe(c *Comm, src, tag int) (m Message, st Status, ok bool, err error) {
	n, s, ok, err := comm.Improbe(c.inner(), src, tag)
	return Message(n), Status(s), ok, err
}
