package capi

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gopvas/gopvas/internal/msg/comm"
)

// session is what a handle of a session stands for.
type session struct {
	handler  *errhandler
	hints    *comm.Info
	level    int // of threads
	attached attachedBuffer
	derived  comm.Session
}

// The process sets that there are.
const (
	worldSet = "mpi://WORLD"
	selfSet  = "mpi://SELF"
)

var processSets = []string{worldSet, selfSet}

// session returns the session of a handle.
func (p *Process) session(h Session) (*session, error) {
	if s := p.sessions.get(uintptr(h)); s != nil {
		return s, nil
	}
	return nil, wrongHandle(kindSession, uintptr(h))
}

// Session_init is MPI_Session_init. It joins the job if nothing has yet.
func (p *Process) Session_init(info Info, h Errhandler, out Ptr[Session]) error {
	handler, err := p.handler(h, onSession)
	if err != nil {
		return err
	}
	hints, err := p.hints(info)
	if err != nil {
		return err
	}
	s := &session{handler: handler, hints: hints.Clone()}
	if s.level, err = s.levelAsked(); err != nil {
		return err
	}
	if err := p.join(s.level); err != nil {
		return err
	}
	out.Set(Session(p.sessions.add(s)))
	return nil
}

// levelNames are the values of the hint thread_level, the thread levels in their order.
var levelNames = [...]string{"MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED", "MPI_THREAD_SERIALIZED", "MPI_THREAD_MULTIPLE"}

// levels are the values of levelNames.
var levels = [...]int{THREAD_SINGLE, THREAD_FUNNELED, THREAD_SERIALIZED, THREAD_MULTIPLE}

// title names the session for messages to people.
func (*session) title() string { return "a session" }

// levelAsked is the thread level that the hints ask for.
func (s *session) levelAsked() (int, error) {
	asked, given := s.hints.Get("thread_level")
	if !given {
		return THREAD_MULTIPLE, nil
	}
	if i := slices.Index(levelNames[:], asked); i >= 0 {
		return levels[i], nil
	}
	return 0, fail(ERR_ARG, "the hint thread_level is %q: it is one of %s", asked, strings.Join(levelNames[:], ", "))
}

// Session_finalize is MPI_Session_finalize. A buffer that is attached is detached: MPI 4.1 section 3.6.
func (p *Process) Session_finalize(h Ptr[Session]) error {
	s := p.sessions.remove(uintptr(h.Get()))
	if s == nil {
		return wrongHandle(kindSession, uintptr(h.Get()))
	}
	h.Set(SESSION_NULL)
	var err error
	if s.attached.there {
		p.sessionBuffers.Add(-1)
		err = comm.FlushBufferOf(p.world.c, nil)
	}
	comm.TellLeft(p.world.c, &s.derived)
	return errors.Join(err, p.leave())
}

// Session_get_info is MPI_Session_get_info.
func (p *Process) Session_get_info(s *session, out Ptr[Info]) error {
	f := new(comm.Info) // the other hints change nothing
	f.Set("thread_level", levelNames[slices.Index(levels[:], s.level)])
	return p.newInfo(f, out)
}

// Session_get_num_psets is MPI_Session_get_num_psets.
func (p *Process) Session_get_num_psets(_ *session, info Info, n Ref) error {
	n.Set(len(processSets))
	return nil
}

// Session_get_nth_pset is MPI_Session_get_nth_pset. The length is with the zero byte.
func (p *Process) Session_get_nth_pset(_ *session, info Info, n int, length Ref, name OutString) error {
	if n < 0 || n >= len(processSets) {
		return fail(ERR_ARG, "there is no process set %d: there are %d", n, len(processSets))
	}
	if room := length.Get(); room > 0 {
		name.Set(processSets[n], room)
	}
	length.Set(len(processSets[n]) + 1)
	return nil
}

// processSet returns the ranks of a process set.
func (p *Process) processSet(name string) (*comm.Group, error) {
	switch {
	case strings.EqualFold(name, worldSet):
		return p.world.c.Group(), nil
	case strings.EqualFold(name, selfSet):
		return p.self.c.Group(), nil
	}
	return nil, fail(ERR_ARG, "there is no process set %q: there are %q", name, processSets)
}

// Session_get_pset_info is MPI_Session_get_pset_info.
func (p *Process) Session_get_pset_info(_ *session, name CString, out Ptr[Info]) error {
	g, err := p.processSet(name.String())
	if err != nil {
		return err
	}
	f := new(comm.Info)
	f.Set("mpi_size", fmt.Sprint(g.Size()))
	return p.newInfo(f, out)
}

// Group_from_session_pset is MPI_Group_from_session_pset.
func (p *Process) Group_from_session_pset(s *session, name CString, out Ptr[Group]) error {
	g, err := p.processSet(name.String())
	if err == nil {
		g = comm.GroupOf(g, &s.derived)
	}
	return p.madeGroup(g, err, out)
}

// Comm_create_from_group is MPI_Comm_create_from_group.
func (p *Process) Comm_create_from_group(g *comm.Group, text CString, info Info, h Errhandler, out Ptr[Comm]) error {
	handler, err := p.handler(h, onComm)
	if err != nil {
		return err
	}
	if g.Size() == 0 {
		out.Set(COMM_NULL)
		return nil
	}
	n, err := comm.CreateFromGroup(p.world.c, g, text.String())
	if err == nil && n == nil {
		err = fail(ERR_GROUP, "this rank is not in the group")
	}
	return p.made(n, err, &communicator{handler: handler, sessions: true}, out)
}

// Intercomm_create_from_groups is MPI_Intercomm_create_from_groups.
func (p *Process) Intercomm_create_from_groups(local Group, leader int, remote Group, remoteLeader int, text CString,
	info Info, h Errhandler, out Ptr[Comm]) error {
	own, err := p.group(local)
	if err != nil {
		return err
	}
	other, err := p.group(remote)
	if err != nil {
		return err
	}
	handler, err := p.handler(h, onComm)
	if err != nil {
		return err
	}
	if own.Size() == 0 || other.Size() == 0 {
		out.Set(COMM_NULL)
		return nil
	}
	side, err := comm.CreateFromGroup(p.world.c, own, text.String())
	if err == nil && side == nil {
		err = fail(ERR_GROUP, "this rank is not in the local group")
	}
	if err != nil {
		return err
	}
	to, wrong := []int{comm.Undefined}, error(nil) // only the leader has to pass the remote one
	if side.Rank() == leader {
		to, wrong = other.TranslateRanks([]int{remoteLeader}, p.world.c.Group())
	}
	if wrong != nil {
		to = []int{comm.Undefined} // which the others are told is wrong
	}
	n, err := comm.IntercommFromGroups(side, leader, p.world.c, to[0], text.String())
	err = errors.Join(cmp.Or(wrong, err), side.Free())
	return p.made(n, err, &communicator{handler: handler, sessions: true}, out)
}

// Session_attach_buffer is MPI_Session_attach_buffer.
func (p *Process) Session_attach_buffer(s *session, at Address, size int) error {
	err := s.attached.attach(nil, at, size)
	if err == nil {
		p.sessionBuffers.Add(1)
	}
	return err
}

// Session_detach_buffer is MPI_Session_detach_buffer.
func (p *Process) Session_detach_buffer(s *session, at AddressRef, size Ref) error {
	err := p.detach(&s.attached, nil, at, size)
	if err == nil {
		p.sessionBuffers.Add(-1)
	}
	return err
}

// Session_flush_buffer is MPI_Session_flush_buffer.
func (p *Process) Session_flush_buffer(_ *session) error {
	return p.Buffer_flush()
}

// Session_iflush_buffer is MPI_Session_iflush_buffer.
func (p *Process) Session_iflush_buffer(_ *session, r Ptr[Request]) error {
	return p.iflush(p.world, nil, r)
}
