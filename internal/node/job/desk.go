package job

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"syscall"

	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/shm"
)

// The desk is where a rank asks the supervisor for something: to start ranks, to keep a name. One rank at a time does.
//
//	owner 0  --a rank: CAS--> owner rank+1, idle --the owner: request written--> asked --supervisor--> taken
//	   ^                                                                                                  |
//	   +---- the owner: reply read, idle; or the supervisor, if the owner has gone <---- answered <-------+
//
// The owner writes text and length while the state is idle, the supervisor from taken to answered. Each reads after
// the atomic store of the state that hands them over. The owner sends SIGCHLD to the supervisor, which waits for that
// signal anyway, and looks at the desk each time. It stores asked before, so the look that the signal causes finds
// it.
//
// If a rank is killed as the owner, the supervisor frees the desk after it has reaped the rank; if it is busy with the
// request it does so after the answer.
type deskBlock struct {
	owner atomic.Uint32 // its rank plus one; 0: nobody
	state atomic.Uint32
	event shm.Event // ranks sleep here, for the desk and for the answer
	_     [cacheLine - 16]byte

	length atomic.Uint32 // of the text
	_      [cacheLine - 4]byte
}

// deskSize is the size of a desk in bytes. Memory is taken as far as texts are long.
const deskSize = 1 << 20

// States of a desk.
const (
	deskIdle = iota
	deskAsked
	deskTaken
	deskAnswered
)

// desk is a desk in this process.
type desk struct {
	*deskBlock
	text []byte
}

// ErrNoDesk says that nobody answers.
var ErrNoDesk = errors.New("this needs pvasrun, which has not started this process")

// Ask asks the supervisor for something, and returns what it grants. It blocks until the answer is there. Rank is the
// caller. The error wraps ErrNoDesk or one of the refusals (ErrSpawn and so on), or says that the request is too long.
//
// A job of one rank that gets its supervisor late first hands over its own names.
func (r *Root) Ask(rank int, request ...string) ([]string, error) {
	if r.names == nil {
		return r.askSupervisor(rank, request)
	}
	if r.head.attendant.Load() != 0 {
		ask := func(request ...string) ([]string, error) { return r.askSupervisor(rank, request) }
		if err := r.names.handOver(ask); err != nil {
			return nil, err
		}
	}
	if answer, ok := r.names.Handle(r.ID(), rank, request); ok {
		return Granted(answer)
	}
	return r.askSupervisor(rank, request)
}

func (r *Root) askSupervisor(rank int, request []string) ([]string, error) {
	d, attendant := r.desk, int(r.head.attendant.Load())
	if d == nil || attendant == 0 {
		return nil, fmt.Errorf("job: %w", ErrNoDesk)
	}
	text := EncodeTexts(request)
	if len(text) > len(d.text) {
		return nil, fmt.Errorf("job: ask pvasrun: %d bytes of arguments are too many: a request has at most %d",
			len(text), len(d.text))
	}
	if err := d.event.Wait(func() bool { return d.owner.CompareAndSwap(0, uint32(rank)+1) }); err != nil {
		return nil, fmt.Errorf("job: ask pvasrun: %w", err)
	}
	copy(d.text, text)
	d.length.Store(uint32(len(text)))
	d.state.Store(deskAsked)
	err := sys.Kill(attendant, syscall.SIGCHLD)
	if err == nil {
		err = d.event.Wait(func() bool { return d.state.Load() == deskAnswered })
	}
	if err != nil {
		return nil, fmt.Errorf("job: ask pvasrun: %w", err)
	}
	answer := DecodeTexts(d.text[:min(int(d.length.Load()), len(d.text))])
	d.free()
	return Granted(answer)
}

func (d *desk) free() {
	d.state.Store(deskIdle)
	d.owner.Store(0)
	d.event.Signal()
}

// Attend says that this process, the supervisor, answers at the desk.
func (r *Root) Attend() { r.head.attendant.Store(uint32(os.Getpid())) }

// Request returns the request at the desk and the rank that makes it, if there is one. The supervisor answers it with
// Reply. Until then it gets none.
func (r *Root) Request() (rank int, request []string, ok bool) {
	d := r.desk
	if d == nil || !d.state.CompareAndSwap(deskAsked, deskTaken) {
		return 0, nil, false
	}
	return int(d.owner.Load()) - 1, DecodeTexts(d.text[:min(int(d.length.Load()), len(d.text))]), true
}

// Reply answers the request. What does not fit is cut off.
func (r *Root) Reply(answer ...string) {
	d := r.desk
	n := copy(d.text, EncodeTexts(answer))
	d.length.Store(uint32(n))
	d.state.Store(deskAnswered)
	d.event.Signal()
	r.freeDesk()
}

// freeDesk takes the desk from a rank that has gone.
func (r *Root) freeDesk() {
	d := r.desk
	if d == nil {
		return
	}
	owner := int(d.owner.Load()) - 1
	if owner >= 0 && r.Gone(owner) && d.state.Load() != deskTaken {
		d.free()
	}
}

// EncodeTexts puts texts into one, each after its length.
func EncodeTexts(list []string) (b []byte) {
	for _, s := range list {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(s)))
		b = append(b, s...)
	}
	return b
}

// DecodeTexts is the contrary. A text that is cut off ends the list.
func DecodeTexts(b []byte) (list []string) {
	for len(b) >= 4 {
		n := binary.LittleEndian.Uint32(b)
		if b = b[4:]; uint64(n) > uint64(len(b)) {
			break
		}
		list, b = append(list, string(b[:n])), b[n:]
	}
	return list
}
