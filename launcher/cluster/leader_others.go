package cluster

import (
	"context"
	"errors"
	"net/netip"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/launcher/internal/desk"
	"github.com/gopvas/gopvas/launcher/internal/neighbour"
	"github.com/gopvas/gopvas/launcher/internal/part"
)

// Other jobs. The leader meets them, as the supervisor of a job on one node does. It notes what it hears of them in the
// mirror, and has all agents note the same, in the same order: so visitors have the same numbers everywhere. A node may
// hear of them late. But whatever its rank asks is answered behind all that the leader has told before.

// openDesk opens the desk at which the requests of ranks are answered. host has the addresses of the first node, by
// device.
func (l *leader) openDesk(host []netip.Addr) {
	ends, leave := context.WithCancel(context.Background())
	own := neighbour.Own{Root: l.mirror, Host: host[0], Devices: len(host), Until: ends,
		Spread: func(news part.News) { l.order(part.Order{News: news}) },
		Post: func(event func()) bool {
			select {
			case l.events <- event:
				return true
			case <-ends.Done():
				return false
			}
		}}
	switch {
	case l.job.TraceSize > 0:
		own.Alone = neighbour.ErrRecorded
	case l.room < l.mirror.Places():
		own.Alone = errors.New("the size of files is limited on a node (ulimit -f), which leaves no room for ranks " +
			"of others")
	}
	l.desk, l.leave = desk.Open(own, nil), leave
}

// leaveOthers ends all that other jobs see of this one.
func (l *leader) leaveOthers() {
	if l.desk != nil {
		l.leave()
		l.desk.Others.Close()
	}
}

// answerLater answers a request when step has returned, which may block. Meanwhile no other request is answered.
func (l *leader) answerLater(r request, step func() (answer []string, err error),
	answer func([]string, error) []string) {
	l.asking = true
	go func() {
		got, err := step()
		l.post(func() {
			l.asking = false
			r.from.order(part.Order{Answer: answer(got, err)})
		})
	}()
}

// lookElsewhere answers a request for a service that this job has not published.
func (l *leader) lookElsewhere(r request, here []string) {
	l.answerLater(r, func() ([]string, error) {
		port, err := job.PublishedElsewhere(r.Texts[1])
		return job.Grant(port), err
	}, func(elsewhere []string, err error) []string {
		if err != nil {
			return here
		}
		return elsewhere
	})
}

// reached is told where ranks of the agent are reached.
func (a *remote) reached(list []part.Address) {
	l := a.l
	for _, at := range list {
		if a.has(at.Rank) {
			at.Note(l.mirror, at.Rank)
		}
	}
	a.others(part.Order{News: part.News{Addresses: list}})
	if l.desk != nil {
		l.desk.Others.Tell(neighbour.Message{Addresses: list})
	}
}
