package window

import (
	"cmp"
	"fmt"

	"github.com/gopvas/gopvas/internal/comm"
	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/trace"
)

// Epochs of active targets: those of Fence, and of Post, Start, Complete and Wait.

// The tags of the messages of a window.
const (
	tagPosted = 1 + iota
	tagCompleted
)

// Fence ends an epoch, and begins the next one, of all ranks. It does so, too, if an operation on a rank of another
// node has failed, and returns that error: the other ranks are in it.
func (w *Window) Fence(a Assert) error {
	if w.watch != nil {
		return w.wrap("fence", -1, w.watchedFence(a))
	}
	return w.wrap("fence", -1, w.fence(a))
}

func (w *Window) fence(a Assert) error {
	w.mu.Lock()
	err := w.mayFence()
	w.mu.Unlock()
	var failed error
	if err == nil {
		failed = w.flushRemote()
	}
	if err == nil && a&(NoPrecede|NoSucceed) != NoPrecede|NoSucceed {
		err = comm.Bare(w.own.Barrier())
	}
	if err == nil {
		next := fenced
		if a&NoSucceed != 0 {
			next = idle
		}
		w.access.Store(next)
	}
	return cmp.Or(failed, err)
}

// mayFence returns an error unless a Fence is possible. The caller holds w.mu.
func (w *Window) mayFence() error {
	if w.access.Load() != active {
		if err := w.mayBegin("Fence"); err != nil {
			return err
		}
	}
	if w.exposed {
		return syncError("%s within an exposure epoch: call %s first", "Fence", "Wait")
	}
	return nil
}

// members are the ranks of the window that a group has.
func (w *Window) members(g *comm.Group) ([]int, error) {
	ranks := make([]int, g.Size())
	for i := range ranks {
		ranks[i] = i
	}
	ranks, err := g.TranslateRanks(ranks, w.own.Group())
	for i, rank := range ranks {
		if rank == comm.Undefined {
			return nil, fmt.Errorf("%w: rank %d of the group is not in the window", ErrArgument, i)
		}
	}
	return ranks, err
}

// Post begins an exposure epoch for the ranks of a group.
func (w *Window) Post(g *comm.Group, a Assert) error {
	return w.calls(trace.WinPost, "post", func() error { return w.post(g, a) })
}

func (w *Window) post(g *comm.Group, a Assert) error {
	ranks, err := w.members(g)
	if err == nil {
		err = w.expose(ranks)
	}
	if err == nil && a&NoCheck == 0 {
		err = w.tell(ranks, tagPosted)
	}
	return err
}

func (w *Window) expose(ranks []int) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.freed():
		return ErrFreed
	case w.exposed:
		return syncError("%s within an exposure epoch: call %s first", "Post", "Wait")
	case w.access.Load() == active:
		return syncError("%s within the epoch of %s: end that by the latter with MPI_MODE_NOSUCCEED", "Post", "Fence")
	}
	w.exposed, w.origins = true, ranks
	return nil
}

// Start begins an access epoch to the ranks of a group. It waits for their Post.
func (w *Window) Start(g *comm.Group, a Assert) error {
	return w.calls(trace.WinStart, "start", func() error { return w.start(g, a) })
}

func (w *Window) start(g *comm.Group, a Assert) error {
	ranks, err := w.members(g)
	if err != nil {
		return err
	}
	w.mu.Lock()
	err = w.mayBegin("Start")
	if err == nil {
		w.access.Store(started)
		w.started = ranks
	}
	w.mu.Unlock()
	if err == nil && a&NoCheck == 0 {
		err = w.hear(ranks, tagPosted)
		if err != nil {
			w.access.Store(idle)
		}
	}
	if err == nil {
		w.mark(ranks, open)
	}
	return err
}

// mark gives targets their marks.
func (w *Window) mark(ranks []int, to uint32) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, rank := range ranks {
		w.marks.set(rank, len(w.targets), to)
	}
}

// Complete ends the epoch of Start. The targets learn of that also if an operation has failed: see Fence.
func (w *Window) Complete() error { return w.calls(trace.WinComplete, "complete", w.complete) }

func (w *Window) complete() error {
	w.mu.Lock()
	err := w.expect("Complete", started, "Start")
	ranks := w.started
	if err == nil {
		w.access.Store(idle)
		w.started = nil
	}
	w.mu.Unlock()
	if err != nil {
		return err
	}
	w.mark(ranks, 0)
	failed := w.flushRemote(ranks...)
	return cmp.Or(failed, w.tell(ranks, tagCompleted))
}

// Wait ends the exposure epoch of Post. It waits for the Complete of its ranks.
func (w *Window) Wait() error { return w.calls(trace.WinWait, "wait", w.waitForAll) }

func (w *Window) waitForAll() error {
	ranks, err := w.exposure("Wait")
	if err == nil {
		err = w.hear(ranks, tagCompleted)
		w.mu.Lock()
		w.exposed, w.origins = false, nil
		w.mu.Unlock()
	}
	return err
}

// exposure are the ranks whose Complete is yet to come.
func (w *Window) exposure(c call) ([]int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.freed():
		return nil, ErrFreed
	case !w.exposed:
		return nil, syncError("%s without %s", c, "Post")
	}
	return w.origins, nil
}

// Test is Wait, but it returns false if that had to wait.
func (w *Window) Test() (done bool, err error) {
	ranks, err := w.exposure("Test")
	for err == nil && len(ranks) > 0 {
		var came bool
		_, came, err = comm.Iprobe(w.own, ranks[0], tagCompleted)
		if err != nil || !came {
			break
		}
		err = w.hear(ranks[:1], tagCompleted)
		ranks = ranks[1:]
	}
	if err == nil {
		w.mu.Lock()
		w.exposed, w.origins = len(ranks) > 0, ranks
		w.mu.Unlock()
		if len(ranks) == 0 && w.watch != nil {
			w.forgetOrigins()
		}
	}
	return err == nil && len(ranks) == 0, w.wrap("test", -1, err)
}

// tell sends a message without bytes to some ranks. It does not wait for room.
func (w *Window) tell(ranks []int, tag int) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sending = dropDone(w.sending)
	for _, rank := range ranks {
		r, err := comm.Isend(w.own, comm.Standard, nil, 1, rank, tag)
		if err != nil {
			return comm.Bare(err)
		}
		w.sending = append(w.sending, r)
	}
	w.sending = dropDone(w.sending)
	return nil
}

// dropDone returns those of some sends that are not over.
func dropDone(sends []comm.Request) []comm.Request {
	left := sends[:0]
	for i := range sends {
		if _, done, _ := sends[i].Test(); !done {
			left = append(left, sends[i])
		}
	}
	return left
}

// explain is what the hang report says of a wait for such a message.
func (w *Window) explain(s *job.Waiting) {
	name := "start"
	if s.Tag == tagCompleted {
		name = "wait"
	}
	target := int(s.Peer)
	s.Op = job.OpCollective
	s.Collective = job.Collective{Name: name, Communicator: w.own.Name(), Need: job.NeedPeers}
	s.Collective.Miss(target)
}

// hear receives a message without bytes of each of some ranks.
func (w *Window) hear(ranks []int, tag int) error {
	for _, rank := range ranks {
		if _, err := comm.RecvBuffer(w.own, comm.Buffer{}, 1, rank, tag); err != nil {
			return comm.Bare(err)
		}
	}
	return nil
}

// settle returns when all messages are on their way.
func (w *Window) settle() error {
	w.mu.Lock()
	sends := w.sending
	w.sending = nil
	w.mu.Unlock()
	for i := range sends {
		if _, err := sends[i].Wait(); err != nil {
			return comm.Bare(err)
		}
	}
	return nil
}
