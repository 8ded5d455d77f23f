package launcher

import (
	"crypto/rand"
	"errors"
	"io"
	"os"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/internal/node/topology"
	"github.com/gopvas/gopvas/launcher/internal/host"
	"github.com/gopvas/gopvas/launcher/internal/roster"
	"github.com/gopvas/gopvas/launcher/internal/streams"
)

// A starter starts the processes of ranks. It may block: so each call is a step (await), on a goroutine of its own, and
// one step follows the other. It changes the plan only before the first rank is started.
type starter struct {
	*plan
	parent  *host.Parent
	control *host.Control // nil until the host is started
	memory  *job.Memory   // likewise: nil until it is made
	io      *streams.Streams
	btl     job.BTL // by chooseBTL
	reason  string  // likewise
	misfit  error   // why the ranks cannot share an address space; nil if that has to be seen in the host
	places  int     // ranks that there is room for
	turns   turns
}

// chooseBTL decides for one of the task models, and has the address space made
// if it is to be one.
func (s *starter) chooseBTL() error {
	s.sayRemarks()
	s.permitNice()
	if s.reason = s.wrapped(); s.reason != "" {
		s.job.logf("every rank gets an address space of its own (--btl sm): %s", s.reason)
	}
	if s.job.BTL != btlSM && s.reason == "" {
		err := s.makeSpace()
		if err == nil {
			s.btl = job.BTLPvas
			return nil
		}
		if s.job.BTL == btlPvas || connectionLost(err) || errors.Is(err, os.ErrDeadlineExceeded) {
			return err
		}
		s.reason = reason(err)
		s.io.Say("every rank gets an address space of its own (--btl sm): %s", s.reason)
	}
	if s.job.HugePages == job.ReservedPages {
		s.io.Say("--huge-pages reserved: windows have none, as ranks do not share an address space")
	}
	s.btl = job.BTLSM
	need, most := s.job.room()
	if s.places = most; s.job.Part == nil && sys.SoftLimit(sys.RlimitFsize) != sys.Unlimited {
		s.places = need // the others would take their share of the job's file
	}
	_, err := s.control.Call("guard the job", host.Request{Create: &host.CreateRequest{ID: s.id}})
	return err
}

// permitNice has ranks keep the niceness of this process where the user may not give them less, and says so: nice does.
func (s *starter) permitNice() {
	for i := range s.job.Apps {
		if app := &s.job.Apps[i]; !sys.MayNice(app.Nice) {
			s.io.Say("%s: nice %d takes a privilege or a higher limit (ulimit -e): its ranks go on without it",
				app.Program, app.Nice)
			app.Nice = 0
		}
	}
}

// sayRemarks tells of programs whose ranks cannot find each other, or may end for want of a function. It also tells of
// ranks that have fewer cores than they are to have. All of them run.
func (s *starter) sayRemarks() {
	if s.job.Total() == 1 || !s.job.Part.Leads() {
		return
	}
	if each := s.job.Bind.CPUs; s.job.Bind.wants(2) && s.size*each > len(s.cpus) {
		s.io.Say("ranks share cores: %d ranks of %d cores each are to run on %d CPUs", s.size, each, len(s.cpus))
	}
	for i, prog := range s.List {
		if prog.Remark != "" && slices.Index(s.List, prog) == i {
			s.io.Say("%s %s", prog.Name, prog.Remark)
		}
	}
}

// makeSpace asks the host to make the address space and to look at the programs.
func (s *starter) makeSpace() error {
	if s.misfit != nil {
		return s.misfit
	}
	need, most := s.job.room()
	most = max(need, min(most, job.RoomOfSpace))
	here := s.size + need - s.job.Total() // all that are added may come here
	create := &host.CreateRequest{Tasks: here, Spare: most - need, Total: most, PartitionSize: s.job.PartitionSize,
		HugePages: s.job.HugePages != "", SmallPages: host.SmallPages(), ID: s.id, Apps: slices.Clone(s.apps)}
	for i := range create.Apps {
		create.Apps[i].Env = host.SharedEnv(create.Apps[i].Env)
	}
	rep, err := s.control.Call("create the address space", host.Request{Create: create})
	if s.places = max(rep.Tasks, s.job.Total()); s.job.Part != nil {
		_, s.places = s.job.room() // on all nodes, since ids of communicators depend on it
	}
	return err
}

// process is that of a rank.
type process struct {
	rank, pid int
	at        time.Time // of its start
}

// makeMemory makes the job's memory and has the host map it.
func (s *starter) makeMemory() (*job.Memory, error) {
	if guest := s.job.guest; guest != nil {
		guest.Root().Attend()
		return guest, nil
	}
	c := job.Config{
		Ranks: s.job.Total(), Places: s.places, Universe: s.universe(), Desk: true,
		BTL: s.btl, CPUs: s.room(), HugePages: s.job.HugePages, Hold: s.job.Hold != nil,
		Domains:   s.domains(0),
		TraceSize: s.job.TraceSize, Settings: s.job.SettingsFor(s.btl),
	}
	rand.Read(c.Key[:]) // never fails
	s.job.Part.Describe(&c)
	memory, err := job.Create(c)
	if err == nil {
		memory.Root().Attend()
	}
	if err != nil || s.btl != job.BTLPvas {
		return memory, err
	}
	if _, err := s.control.Call("map the job's memory", host.Request{Memory: true}, memory.File()); err != nil {
		return nil, errors.Join(err, memory.Close())
	}
	return memory, nil
}

// startRank starts one rank.
func (s *starter) startRank(seat roster.Seat) (p process, err error) {
	files, err := s.io.ForRank(seat.Number)
	if err != nil {
		return p, err
	}
	// The supervisor's copies must be closed here, or the end of the rank's output
	// would never be seen.
	defer files.Close()
	s.turns.await(s.memory.Root())
	cpus := s.cpusOf(seat.Rank)
	start := s.startInSpace
	if s.btl == job.BTLSM {
		start = s.startAlone
	}
	p = process{rank: seat.Rank, at: time.Now()}
	if p.pid, err = start(seat, cpus, files.All[:]); err != nil {
		return p, err
	}
	s.job.logf("rank %d is pid %d", seat.Number, p.pid)
	if s.job.ReportBindings {
		s.reportBinding(seat.Number, cpus)
	}
	return p, nil
}

// startInSpace asks the host to start a rank in its address space.
func (s *starter) startInSpace(seat roster.Seat, cpus []int, files []*os.File) (int, error) {
	app := s.appOf[seat.Rank]
	req := &host.SpawnRequest{Rank: seat.Rank, Number: seat.Number, InWorld: seat.InWorld, Local: seat.Local,
		Nice: s.job.Apps[app].Nice, App: app, CPUs: cpus}
	rep, err := s.control.Call("start rank", host.Request{Spawn: req}, files...)
	if err != nil {
		return 0, err
	}
	l := rep.Layout
	s.job.logf("rank %d: partition %#x, image %#x-%#x, stack of %d KiB and small region %#x-%#x, arena %#x",
		seat.Number, l.Base, l.Image.Start, l.Image.End, l.Stack.Len()>>10, l.Stack.Start, l.SmallRegion.End,
		l.Arena.Start)
	if l.Image.Len() == 0 { // its dynamic linker has mapped it, and debuggers ask that
		return rep.Pid, nil
	}
	s.job.logf("rank %d: to debug it: pvasrun debug %d %s %#x", seat.Number, rep.Pid, s.apps[app].Path, l.Offset)
	return rep.Pid, nil
}

// niceCommand is where POSIX systems have it.
const niceCommand = "/usr/bin/nice"

// startAlone starts a rank as a process of its own, with the job's memory as its
// descriptor 3.
func (s *starter) startAlone(seat roster.Seat, cpus []int, files []*os.File) (int, error) {
	app := &s.apps[s.appOf[seat.Rank]]
	if by := s.app(seat.Rank).Nice; by != 0 { // this process could not take it back
		niced := *app
		niced.Path = niceCommand
		niced.Args = slices.Concat([]string{"nice", "-n", strconv.Itoa(by), app.Path}, app.Args[1:])
		app = &niced
	}
	env := host.RankEnv(app.Env, seat.Number, seat.InWorld, seat.Local, "fd:3")
	oneNode := s.memory.Root().MemoryNode(seat.Number) != job.Unknown
	files = append(files, s.memory.File())
	if libraries := s.List[s.appOf[seat.Rank]].Libraries; libraries != nil {
		files = append(files, libraries)
	}
	pid, err := s.parent.StartClassic(app, env, files, cpus, oneNode)
	if err != nil {
		return 0, err
	}
	s.control.Note(host.Request{Guard: pid})
	s.job.logf("rank %d: to debug it: pvasrun debug %d", seat.Number, pid)
	return pid, nil
}

func (s *starter) reportBinding(number int, cpus []int) {
	if cpus == nil {
		s.io.Say("rank %d is not bound (CPUs %s)", number, topology.FormatList(s.cpus))
		return
	}
	s.io.Say("rank %d is bound to CPU %s%s", number, topology.FormatList(cpus), s.nameDomains(cpus))
}

// connectionLost reports whether an error is that of a host that has died.
func connectionLost(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET)
}
