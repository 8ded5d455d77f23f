package comm

import (
	"sync/atomic"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/msg/pml"
	"github.com/gopvas/gopvas/internal/node/job"
)

// Service answers the short requests of other ranks of a communicator, while this rank is in any call that makes
// progress. It is a task of the message engine, so no goroutine waits for requests.
type Service struct {
	comm    *Comm
	tag     int
	answer  func(request []byte) (reply []byte)
	request []byte
	receive pml.Request // of the next request
	posted  bool
	over    atomic.Bool
}

// Serve begins a service: requests of so many bytes come with a tag, replies go with the tag after it. Nothing else
// uses these two. answer is called under the engine's lock: it makes no call, and its reply is not changed any more.
func Serve(c *Comm, tag, bytes int, answer func(request []byte) (reply []byte)) (*Service, error) {
	s := &Service{comm: c, tag: tag, answer: answer, request: make([]byte, bytes)}
	r, err := c.engine.BeginBy(c.context, func() pml.Task { return (*serviceTask)(s) })
	if err == nil {
		r.Leave()
	}
	return s, err
}

// End ends the service. Nobody asks any more.
func (s *Service) End() {
	s.over.Store(true)
	s.comm.engine.Progress()
}

// Ask sends a request to the rank that has the service, and receives the reply. If a rank is lost the error says which:
// then the service has ended.
func Ask(c *Comm, rank, tag int, request, reply []byte) error {
	peer, err := c.to(rank)
	if err == nil {
		err = c.engine.Send(c.context, peer, tag, request, pml.Standard)
	}
	if err == nil {
		_, err = c.engine.Recv(c.context, pml.AnySource, tag+1, reply) // fails as the service's receive does
	}
	return err
}

// serviceTask is a Service as the engine sees it.
type serviceTask Service

func (*serviceTask) Start() error { return nil }

func (*serviceTask) Release() {}

func (*serviceTask) Describe(*job.Waiting) {} // nobody waits for it

// Progress answers what has come.
func (s *serviceTask) Progress() (done bool, err error) {
	in, c := s.comm.engine.Inside(), s.comm
	for !s.over.Load() {
		st, _, came, err := in.Take(&s.receive)
		if err == nil && s.posted && came {
			err = in.Post(c.context, st.Source, s.tag+1, pml.Mark{}, s.answer(s.request))
		}
		if err == nil && came {
			s.receive, err = in.Irecv(c.context, pml.AnySource, s.tag, btl.Buffer{Bytes: s.request})
			s.posted = err == nil
		}
		if err != nil || !came {
			return err != nil, err
		}
	}
	in.Drop(&s.receive)
	return true, nil
}
