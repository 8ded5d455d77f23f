package launcher

import (
	"errors"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/internal/limits"
	"github.com/gopvas/gopvas/internal/sys"
	"github.com/gopvas/gopvas/launcher/internal/fate"
	"github.com/gopvas/gopvas/launcher/internal/host"
	"github.com/gopvas/gopvas/launcher/internal/neighbour"
)

// The goroutine of Run waits in one place, next. That ends at every event: the
// end of a child, of the grace time, of ctx, or of a call that the goroutine has begun; a
// signal; the time-out; an output that takes no more. The goroutine therefore makes
// no call that may block: a request to the host, the start of a program, a hold, or
// the last output. Such a call runs on a goroutine of its own (during, await). A message
// runs in a queue.
//
//	          next <---- SIGCHLD, signals, timers, ctx, output
//	start:    await(host) -> await(BTL) -> await(memory) -> await(rank 0) -> ...
//	run:      serve until no rank lives
//	sweep:    kill and reap the processes left, for fate.KillTime at most
//	finish:   during(drain); INT, TERM and HUP end it.
//
// When the fate of the job has been decided, nothing more is begun. Requests to the
// host end as soon as no rank needs time to end: await returns host.ErrOver.
// Killed processes have fate.KillTime to vanish.

// next waits for one event and handles it. It returns true if the event is that
// done has been closed.
func (s *supervisor) next(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	case <-s.childEnd:
		s.reap()
		s.attend()
	case sig := <-s.job.Signals:
		s.received(sig)
	case <-s.timeout:
		s.timeout = nil
		if !s.over() {
			s.askHang(func() { s.fate.TimedOut(s.job.Timeout) })
		}
	case <-s.asked.tick:
		s.awaitPolls()
	case <-s.lookout.Tick:
		s.look()
	case event := <-s.posted:
		event()
	case <-s.placing.late:
		s.placesLate()
	case <-s.grace:
		s.fate.GraceOver()
	case err := <-s.output:
		s.fate.OutputFailed(err)
	case o := <-s.job.Part.Next():
		s.obey(o)
	case <-s.cancelled:
		s.cancelled = nil
		s.givenUp = s.phase == draining
		s.fate.Kill(fate.CodeSignal + int(syscall.SIGKILL))
	case <-s.deadline:
		s.givenUp = true
	}
	s.cutShort()
	s.giveUpAsking()
	return false
}

// post hands an event to the goroutine of Run. It returns false if the last rank has ended: then nobody takes it.
func (s *supervisor) post(event func()) bool {
	select {
	case s.posted <- event:
		return true
	case <-s.nodesEnd.Done():
		return false
	}
}

// cutShort ends a request that the host does not answer when nobody needs it any
// more.
func (s *supervisor) cutShort() {
	if s.control != nil && s.over() && (s.fate.Killed || len(s.alive) == 0) {
		s.control.Interrupt()
	}
	if s.fate.Killed && s.phase == working && s.deadline == nil {
		s.deadline = time.After(fate.KillTime)
	}
}

// serve handles events until ok, or until it is time to give up.
func (s *supervisor) serve(ok func() bool) {
	for !ok() && !s.givenUp {
		s.next(nil)
	}
}

// during runs f, which may block, and handles events until f has returned. It
// returns false if f was given up; f then still runs.
func (s *supervisor) during(f func()) bool {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	for !s.givenUp {
		if s.next(done) {
			return true
		}
	}
	return false
}

// await runs a step of the start. The error is host.ErrOver where the fate of the job
// has been decided, before or meanwhile, and the step was not done.
func await[T any](s *supervisor, step func() (T, error)) (T, error) {
	var none, value T
	var err error
	s.takeSignals()
	if s.over() || !s.during(func() { value, err = step() }) {
		return none, host.ErrOver
	}
	if err == nil {
		return value, nil
	}
	if s.host != 0 && connectionLost(err) {
		s.serve(func() bool { return s.hostEnd != nil }) // which says why
	}
	if s.over() {
		return none, host.ErrOver
	}
	return none, err
}

// takeSignals handles the signals that are there, so that none which came before
// a step is seen after it.
func (s *supervisor) takeSignals() {
	for {
		select {
		case sig := <-s.job.Signals:
			s.received(sig)
		default:
			return
		}
	}
}

// connectionLost reports whether an error is that of a host that has died.
func connectionLost(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET)
}

// reap takes the status of every child that has ended. They are not handled in the
// order in which they come, which is not that of their ends: one that was killed may
// be why others have ended, not the other way round.
func (s *supervisor) reap() {
	var list []host.Exit
	var err error
	for {
		var e host.Exit
		if e, err = s.NextExit(s.reaping); err != nil || e.Pid == 0 {
			break
		}
		list = append(list, e)
	}
	slices.SortStableFunc(list, func(a, b host.Exit) int { return s.suspicion(b) - s.suspicion(a) })
	for _, e := range list {
		s.ended(e)
	}
	if errors.Is(err, syscall.ECHILD) && len(s.alive) > 0 {
		s.lose()
	}
}

// reaping tells the ranks that a pid will be free. MarkGone comes later, when the order of the ends is known.
func (s *supervisor) reaping(pid int) {
	if s.memory != nil {
		s.memory.Root().Reaping(pid)
	}
}

// suspicion is higher for an end that is more likely the cause of others at the same
// time. A process that dumps core may take those with it that share its memory. So
// does a process that the kernel kills when memory has run out.
func (s *supervisor) suspicion(e host.Exit) int {
	switch {
	case e.Status.Signaled() && e.Status.Signal() != syscall.SIGKILL:
		return 3
	case e.Pid == s.host:
		return 2
	case e.Status.Signaled():
		return 1
	}
	return 0
}

// lose is called when this process has no child though ranks live: somebody else
// in it has waited for them.
func (s *supervisor) lose() {
	for pid, rank := range s.alive {
		delete(s.alive, pid)
		s.markGone(rank)
		s.tellEnd(rank, pid, 0, s.memory.Root().State(s.number(rank)))
		s.fate.RankLost(s.number(rank), pid, s.app(rank).Program)
	}
}

// markGone tells the ranks that one has ended. In a part of a job the leader hears of it first, and tells all nodes,
// this one too. Else a rank that is told might end, and the leader hear of that end before: it would blame the wrong
// rank.
func (s *supervisor) markGone(rank int) {
	if s.job.Part == nil {
		s.memory.Root().MarkGone(s.number(rank))
		s.tellNeighbours(neighbour.Message{Ends: []neighbour.End{s.endOf(rank)}})
	}
}

// ended is called for every child that has been reaped.
func (s *supervisor) ended(e host.Exit) {
	if e.Pid == s.host {
		s.hostEnd = &e.Status
		if s.phase == working {
			s.fate.HostDied(e.Pid, e.Status)
			s.explainKill(e.Status)
		}
		return
	}
	rank, known := s.alive[e.Pid]
	if !known {
		s.early[e.Pid] = e
		return
	}
	delete(s.alive, e.Pid)
	root := s.memory.Root()
	state := root.State(s.number(rank))
	apart := s.apart(rank, e.Status, state)
	if apart {
		root.SetState(s.number(rank), job.StateFinal) // its end concerns no rank of another world
	}
	s.markGone(rank)
	s.names.Gone(s.number(rank), root.World(s.number(rank)),
		s.fate.Named(s.number(rank), e.Pid, s.app(rank).Program, fate.Describe(e.Status)))
	s.withdrawGone()
	if !s.failed && (e.Status != 0 || state == job.StateInit) { // then its report comes before ours
		s.failed = true
		tell := &s.messages
		if s.job.Part != nil {
			tell = &s.ends
		}
		tell.Put(func() { s.io.streams.LastWords(s.number(rank)) })
	}
	s.tellEnd(rank, e.Pid, e.Status, state)
	if sys.Kill(-e.Pid, 0) != nil { // nobody is left in the group: its number may be used again
		s.control.Note(host.Request{Forget: e.Pid})
	}
	s.job.logf("rank %d (pid %d) %s", s.number(rank), e.Pid, fate.Describe(e.Status))
	if s.app(rank).Time {
		s.io.say("rank %d: real %.2f s, user %.2f s, system %.2f s", s.number(rank),
			time.Since(s.began[rank]).Seconds(), e.Used.User.Seconds(), e.Used.System.Seconds())
	}
	failed := s.fate.Failure
	if apart {
		s.endWorld(rank, e)
		return
	}
	asked := s.leaderDecides(e.Status, state)
	if !asked {
		s.fate.RankEnded(s.number(rank), e.Pid, s.app(rank).Program, e.Status, state)
	}
	if asked || s.fate.Failure != failed {
		s.explainKill(e.Status)
		s.explainCore(rank, e)
		if s.btl == job.BTLPvas {
			s.explainFailure()
		}
	}
}

// explainKill names the control group whose memory has run out, if that may be why a process was killed.
func (s *supervisor) explainKill(status syscall.WaitStatus) {
	if status.Signal() != syscall.SIGKILL {
		return
	}
	if group := limits.OutOfMemory(os.DirFS("/"), s.groups); group != nil {
		s.io.say("the kernel kills for want of memory: the control group %v: raise it, or start fewer ranks", group)
	}
}

// explainFailure names the limit that all ranks of an address space share, if it
// may be why the first of them has failed: programs say "out of memory" then, or
// crash.
func (s *supervisor) explainFailure() {
	if limit := limits.AreasTaken(s.host); limit != nil {
		s.io.say("the address space is full: %v", limit)
	}
}

func (s *supervisor) received(sig os.Signal) {
	number, ok := sig.(syscall.Signal)
	if !ok {
		return
	}
	switch {
	case number == syscall.SIGQUIT:
		s.askHang(nil)
		return
	case number == syscall.SIGTSTP:
		s.whenStarted(number, s.pause)
		return
	case s.phase != working: // nobody is left to forward it to
		s.givenUp = s.givenUp || s.phase == draining && fate.EndsWait(sig)
		return
	}
	s.whenStarted(number, func() { s.fate.Received(number) })
}

// whenStarted carries out a signal. One that asks for an end acts at once. Others wait until all ranks have been
// started: a rank that the host is just starting, whose output may be seen already, has no pid here yet, and
// would miss them.
func (s *supervisor) whenStarted(sig syscall.Signal, act func()) {
	if !s.fate.Starting || fate.EndsWait(sig) {
		act()
		return
	}
	if sig == syscall.SIGCONT { // ends a stop that has not begun, as in the kernel
		s.later = slices.DeleteFunc(s.later, func(l laterSignal) bool { return l.Signal == syscall.SIGTSTP })
	}
	s.later = append(s.later, laterSignal{sig, act})
}

// pause stops the ranks, and then this process until it is continued, as Ctrl-Z
// stops every process of a pipeline. Where nobody would continue them, in an
// orphaned process group, the kernel does not stop this process, and the ranks go
// on at once.
func (s *supervisor) pause() {
	s.signalRanks(syscall.SIGTSTP)
	if err := sys.RaiseDefault(syscall.SIGTSTP); err != nil {
		s.io.say("pause: %v", err)
	}
	s.signalRanks(syscall.SIGCONT)
}

// sweep ends the host and every process that the job has left: a rank whose pid
// the host had no time to tell, orphans. Killing one process hands over its
// children, so it goes on until there are none.
func (s *supervisor) sweep() {
	s.phase, s.givenUp, s.deadline = sweeping, false, time.After(fate.KillTime)
	for {
		s.reap()
		left := s.KillAll()
		if len(left) == 0 {
			break
		}
		if s.givenUp {
			s.io.say("killed, but not ended after %v: process %v; it is left behind", fate.KillTime, left)
			break
		}
		s.next(nil)
	}
	signal.Stop(s.childEnd)
	s.parent.Close()
}
