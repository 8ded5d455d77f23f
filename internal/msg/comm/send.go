package comm

import "github.com/gopvas/gopvas/internal/msg/pml"

// Mode is the mode of a send, MPI 4.1 section 3.4.
type Mode = pml.Mode

// The modes.
const (
	Standard    = pml.Standard    // complete when the buffer can be used again
	Synchronous = pml.Synchronous // complete when, besides, the receive has begun
)

// Sends and receives take what an element of the buffer is. In elements of that size the status
// counts; 1 counts bytes. In jobs with --check the receiver compares what both ranks say.

// sendNames are the names of the modes' calls, for errors.
var sendNames = [...]string{Standard: "send", Synchronous: "ssend"}

// Send sends buf to rank dst and blocks until the mode says that it is complete.
//
// MPI 4.1 sections 3.2.1 and 3.4 (MPI_Send, MPI_Ssend).
func Send(c *Comm, mode Mode, buf []byte, of Element, dst, tag int) error {
	peer, ok := c.plainTo(dst)
	if !ok {
		return SendBuffer(c, mode, Bytes(buf), of, dst, tag)
	}
	err := c.engine.Send(c.context, peer, tag, buf, mode)
	if err != nil {
		err = WrapSend(sendNames[mode], dst, tag, err)
	}
	return err
}

// mode returns the mode in which a send is carried out.
func (c *Comm) mode(m Mode) Mode {
	if c.synchronous {
		return Synchronous
	}
	return m
}

// SendBuffer is Send for a buffer that may have a layout.
func SendBuffer(c *Comm, mode Mode, buf Buffer, of Element, dst, tag int) error {
	peer, err := c.to(dst)
	if err == nil {
		c.say(&buf, of)
		err = sendTo(c, peer, tag, buf, c.mode(mode))
	}
	return WrapSend(sendNames[mode], dst, tag, err)
}

// sendTo sends to a rank of the job.
func sendTo(c *Comm, peer, tag int, buf Buffer, mode Mode) error {
	if isView(c) {
		_, err := c.bound.finish(c.engine.IsendBuffer(c.context, peer, tag, buf, mode))
		return err
	}
	return c.engine.SendBuffer(c.context, peer, tag, buf, mode)
}

// IsendBuffer is Isend for a buffer that may have a layout. The layout itself is the caller's
// again at once; what it refers to is in use.
func IsendBuffer(c *Comm, mode Mode, buf Buffer, of Element, dst, tag int) (Request, error) {
	var r pml.Request
	peer, err := c.to(dst)
	if err == nil {
		c.say(&buf, of)
		r, err = c.engine.IsendBuffer(c.context, peer, tag, buf, c.mode(mode))
	}
	if err != nil {
		err = WrapSend("i"+sendNames[mode], dst, tag, err)
	}
	return Request{r}, err
}

// Isend begins to send buf to rank dst and does not block. buf is in use until the
// request is complete: it may be read, and not be written to.
//
// MPI 4.1 section 3.7.2 (MPI_Isend, MPI_Issend).
func Isend(c *Comm, mode Mode, buf []byte, of Element, dst, tag int) (Request, error) {
	peer, ok := c.plainTo(dst)
	if !ok {
		return IsendBuffer(c, mode, Bytes(buf), of, dst, tag)
	}
	r, err := c.engine.Isend(c.context, peer, tag, buf, mode)
	if err != nil {
		err = WrapSend("i"+sendNames[mode], dst, tag, err)
	}
	return Request{r}, err
}

// SendInit makes a persistent request to send buf to rank dst. MPI 4.1 section 3.9
// (MPI_Send_init, MPI_Ssend_init).
func SendInit(c *Comm, mode Mode, buf Buffer, of Element, dst, tag int) (Request, error) {
	var r pml.Request
	peer, err := c.to(dst)
	if err == nil {
		c.say(&buf, of)
		r, err = c.engine.SendInit(c.context, peer, tag, buf, c.mode(mode))
	}
	return Request{r}, WrapSend(sendNames[mode]+" init", dst, tag, err)
}
