package pml

import (
	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/msg/pml/route"
	"github.com/gopvas/gopvas/shm"
)

// AddPeers has the engine reach some ranks of the job by a further module, instead of that
// of New: those of which reaches says so, which is asked of ranks that are added, too, and says always the same. The
// peers do the same. AddPeers is called before the engine is used, and before anybody asks for Memory. The rank parks
// where the module has it do so (Use of btl.Capabilities).
func (e *Engine) AddPeers(m btl.Messages, reaches func(rank int) bool) {
	c := m.Capabilities()
	e.p.routes.AddPeers(m, &c, reaches)
	e.added(&c)
}

// AddVisitors has the engine reach the visitors of the job by a further module, from now on: the engine is in use. No
// message to or from one has been begun, and nobody has asked for Memory that is shared with one.
//
// It writes with the lock held. These fields are read without the lock, too, as are some of the table:
//
//   - the waiter, by waits elsewhere, and by the Sleep of the first module. A goroutine that sleeps goes on doing so
//     where it is: the module notifies the rank's inbox of what comes.
func (e *Engine) AddVisitors(m btl.Messages) {
	e.threads.lock()
	defer e.threads.unlock()
	c := m.Capabilities()
	e.p.routes.AddVisitors(m, &c, e.job.Visits)
	e.added(&c)
}

// added makes use of a further module, which is in the table. Attend may be called meanwhile, of a communicator that
// has no rank of this module. If it finds watches it says that it attends and reads them again; added does it the other
// way round. So one of them has the new module attend, or both, which is the same.
func (e *Engine) added(c *btl.Capabilities) {
	e.short = nil
	if c.SetWaiter != nil {
		c.SetWaiter(e.waits)
	}
	if c.Attend != nil && e.threads.attended.Load() {
		c.Attend(e.attend)
	}
}

// Routes says by which module each peer is reached. Memory, Direct and Plans of it need no lock.
func (e *Engine) Routes() *route.Table { return &e.p.routes }

// Events grows when a rank of the job goes and, in a job that survives, when a communicator is revoked. It never falls.
func (e *Engine) Events() int { return e.p.gone.Events() }

// Waiter is how this rank waits.
func (e *Engine) Waiter() *shm.Waiter { return e.waits }

// OtherThreads gives the engine what tells, while a thread waits, whether another one of the program may end the wait:
// if not, a deadlock can be proved. Without it any goroutine may, and any thread of a program with cgo.
func (e *Engine) OtherThreads(may func() bool) {
	e.threads.lock()
	e.report.notice.OtherThreads(may)
	e.threads.unlock()
}
