package neighbour

import (
	"bufio"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"time"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/launcher/internal/part"
	"github.com/gopvas/gopvas/launcher/internal/wire"
)

// Door is where others find the supervisor of a job.
type Door struct {
	Number int
	At     []netip.AddrPort // for other nodes
	socket *os.File
	far    *os.File // see openFar; nil: there is none
	port   uint16   // of far
}

// Open opens the door of a job. Its number is not other.
func Open(id uint64, other int) (*Door, error) {
	for i := range uint64(job.MostJobs) {
		number := int((id+i)%job.MostJobs) + 1
		if number == other {
			continue
		}
		socket, err := sys.ListenNamed(job.MeetSocket(number))
		if err == nil {
			d := &Door{Number: number, socket: socket}
			d.openFar()
			return d, nil
		}
		if !errors.Is(err, sys.ErrNameTaken) {
			return nil, err
		}
	}
	return nil, fmt.Errorf("%d jobs have ports that others can reach: wait until one of them ends", job.MostJobs)
}

// Accept waits for the next link. It returns an error after Close, or if there are no more descriptors. Then nobody
// finds the door any more; the number stays that of the job until Close.
func (d *Door) Accept() (*Link, error) {
	socket, err := sys.AcceptNamed(d.socket)
	if err != nil {
		sys.StopSocket(d.socket)
		return nil, err
	}
	return newLink(socket), nil
}

// Close closes the door. Links stay.
func (d *Door) Close() {
	_ = d.socket.Close()
	if d.far != nil {
		_ = d.far.Close()
	}
}

// dial connects to the job with a number.
func dial(number int) (*Link, error) {
	socket, err := sys.ConnectNamed(job.MeetSocket(number))
	if err != nil {
		return nil, err
	}
	return newLink(socket), nil
}

// Hello is what a supervisor says of its job first.
type Hello struct {
	Version int // job.LayoutVersion
	ID      uint64
	Number  int
	Pid     int
	Key     job.Key
	Calls   string // flags that both jobs must have the same
	Devices int    // of the network, by which its ranks are reached
	Host    netip.Addr
	Machine []netip.Prefix // the addresses of that of the supervisor, with their networks
}

// Message is what it says later. A field that is zero says nothing.
type Message struct {
	Nodes     []int // of the ranks that the job has had
	Addresses []part.Address
	Ends      []End
	Refused   string // why the job cannot have the other one's ranks; it is the last message

	Number int // of a request
	Ask    []string
	Answer []string
}

// End is that of a rank.
type End struct {
	Rank  int
	Final bool // it has called Finalize
}

// Link is a connection of two supervisors. Any goroutine may send; one receives.
type Link struct {
	socket *os.File
	from   netip.Addr // of another node; not valid: of this one
	*wire.Link
}

func newLink(socket *os.File) *Link {
	return &Link{socket, netip.Addr{}, wire.New(socket, bufio.NewWriter(patient{socket}))}
}

// patient is a socket that is given up if it takes nothing for sendLimit.
type patient struct{ *os.File }

// Write implements io.Writer.
func (p patient) Write(b []byte) (int, error) {
	_ = p.SetWriteDeadline(time.Now().Add(sendLimit)) // as below
	return p.File.Write(b)
}

// Limits of what a supervisor waits for, which may be stopped. One that runs answers at once, since it serves events
// while it waits. Meanwhile requests of other ranks wait, so Patience is no longer than for a published name.
const (
	Patience  = 10 * time.Second // for an answer, that to Greet, too
	sendLimit = time.Second      // until its socket takes more
)

// Greet tells who this is, and returns who the other one is.
func (l *Link) Greet(own Hello) (other Hello, err error) {
	if err = l.Link.Send(own); err != nil {
		return other, fmt.Errorf("the pvasrun of the other job has ended: %v", err)
	}
	_ = l.socket.SetReadDeadline(time.Now().Add(Patience)) // never fails: it is a socket
	if err = l.Link.Receive(&other); errors.Is(err, wire.ErrKey) {
		return other, fmt.Errorf("the other job has another key than ~/%s here: it is of another user, or has another "+
			"home directory: copy the key", keyName)
	}
	if err != nil {
		return other, fmt.Errorf("the pvasrun of the other job does not answer: %v", err)
	}
	_ = l.socket.SetReadDeadline(time.Time{})
	if other.Version != own.Version {
		return other, fmt.Errorf("the other job is of another version of gopvas (%d, this one is %d)", other.Version,
			own.Version)
	}
	if other.Calls != own.Calls {
		return other, fmt.Errorf("the other job was started by pvasrun %s, this one by pvasrun %s: start both alike",
			other.Calls, own.Calls)
	}
	if other.Devices != own.Devices {
		return other, fmt.Errorf("the ranks of the other job have %d network devices, those of this one %d: start "+
			"both with the same --network", other.Devices, own.Devices)
	}
	return other, nil
}

// greet is Greet for the job with an ID; 0: any. On an error it closes the link.
func (l *Link) greet(own Hello, id uint64) (Hello, error) {
	other, err := l.Greet(own)
	if err == nil && id != 0 && other.ID != id {
		err = errEnded
	}
	if err != nil {
		l.Close()
	}
	return other, err
}

// Send has a message sent after those before it, and does not wait. If the other end takes nothing the link is closed.
func (l *Link) Send(m Message) {
	l.Put(func() {
		if l.Link.Send(m) != nil || m.Refused != "" {
			l.Close()
		}
	})
}

// Receive waits for the next message. The error says that the link has ended.
func (l *Link) Receive() (m Message, err error) {
	err = l.Link.Receive(&m)
	return m, err
}

// Close ends the link.
func (l *Link) Close() { _ = l.socket.Close() }

// serve answers whoever asks for a published service with its port, until the socket is closed.
func serve(service, port string) (*os.File, error) {
	socket, err := sys.ListenNamed(job.ServiceSocket(service))
	if err != nil {
		return nil, err
	}
	go func() {
		for {
			asker, err := sys.AcceptNamed(socket)
			if err != nil {
				_ = socket.Close() // it is closed already, or there are no more descriptors: then nobody finds it
				return
			}
			_, _ = asker.WriteString(port) // an error: it has gone; this fits into its socket
			_ = asker.Close()
		}
	}()
	return socket, nil
}
