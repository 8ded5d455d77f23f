package comm

import (
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/gopvas/gopvas/internal/msg/coll"
	"github.com/gopvas/gopvas/internal/msg/pml"
	"github.com/gopvas/gopvas/internal/msg/recorder"
	"github.com/gopvas/gopvas/internal/node/job"
)

// Meet is a barrier that MPI_Finalize of C calls first: it returns when all ranks of the world have called it, or
// have gone. It has a context of its own, so no operation of the program matches it: a rank that leaves out a Barrier
// and calls Finalize does not complete that Barrier. It uses messages: a board would take memory at the end of the
// job. It does not wait for a goroutine that stands in for this rank in a call that was refused and that the others
// may never make.
func Meet(world *Comm) (err error) {
	const op = "finalize"
	if err := enterBeside(world, op, ErrRevoked); err != nil {
		return Wrap(op, err)
	}
	defer leave(world, op, &err)
	return world.meet()
}

// meet is Meet of a caller that is inside.
func (world *Comm) meet() error {
	m := world.membership
	m.revoked = new(job.Revocable) // the world may be: that ends no job
	t := world.newTeam(&m, idOf(world.context)+meetID, world.Name)
	t.Called, t.Inner = job.Ending, 0
	t.Choice.Blocking[coll.Barrier] = "dissemination"
	if world.root.AllOversubscribed() {
		t.Choice.Blocking[coll.Barrier] = "tree" // fewer sleeps
	}
	err := t.Barrier()
	world.met = err == nil || !job.Survives(world.root)
	return Wrap("finalize", Bare(err))
}

// tellUnreceived prints what the program has sent to this rank and has not received. All ranks have met.
func (p *process) tellUnreceived() {
	var n int
	var first pml.Status
	p.engine.Within(func(in pml.Inside) {
		n, first = in.Unreceived(func(context uint32) bool { return purpose(context)%purposes == pointToPoint })
	})
	if n > 0 {
		fmt.Fprintf(os.Stderr, "rank %d: finalize: warning: messages that this rank has not received: %d, "+
			"the first of %d bytes from rank %d, tag %d\n", p.number, n, first.Bytes, first.Source, first.Tag)
	}
}

// unfreed are the communicators of this process that are to be told of at its end: if calls are checked those that the
// program has not freed, in any case those of windows and files.
type unfreed struct {
	mu  sync.Mutex
	all map[*Comm]origin
}

// origin says for what the program has had a communicator made, and where.
type origin struct {
	objects string // "communicators not freed", ...
	place   string // "main.go:41"; "": not known
}

func (u *unfreed) add(c *Comm, objects string) {
	place, _, _ := strings.Cut(recorder.Caller(), " ")
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.all == nil {
		u.all = map[*Comm]origin{}
	}
	u.all[c] = origin{objects, place}
}

func (u *unfreed) remove(c *Comm) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.all, c)
}

// BelongsTo says which objects there is a communicator for, as "files not closed". Finalize counts those of them that
// are left, instead of the communicator. "": nothing is counted.
func BelongsTo(c *Comm, objects string) {
	if objects == "" {
		c.contexts.unfreed.remove(c)
	} else {
		c.contexts.unfreed.add(c, objects)
	}
}

// CallAs has errors name the collective operations of c by what they are steps of, by their kinds.
func CallAs(c *Comm, names map[coll.Kind]string) { coll.CallAs(c.team, names) }

// tellUnfreed prints what the program has not freed, of one session or if that is nil of all. The first of a kind is
// named, if it has a name, with the line that has made it. What is told is forgotten.
func (p *process) tellUnfreed(call string, of *Session) {
	u := &p.contexts.unfreed
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, objects := range []string{programs, WindowsLeft, FilesLeft} {
		var first *Comm
		n, where := 0, ""
		for left, as := range u.all {
			if as.objects == objects && (of == nil || left.session == of) {
				delete(u.all, left)
				n++
				if first == nil || left.ID() < first.ID() {
					first, where = left, as.place
				}
			}
		}
		if n == 0 {
			continue
		}
		name := ""
		if _, text := (&job.Collective{Communicator: first.Name()}).On(); text != "" {
			name = fmt.Sprintf(" %q", text)
		}
		if where != "" {
			name += fmt.Sprintf(" made at %s", where)
		}
		if name != "" {
			name = ", the first" + name
		}
		fmt.Fprintf(os.Stderr, "rank %d: %s: warning: %s: %d%s\n", p.number, call, objects, n, name)
	}
}

// What Finalize tells of.
const (
	programs    = "communicators not freed"
	WindowsLeft = "windows not freed"
	FilesLeft   = "files not closed"
)
