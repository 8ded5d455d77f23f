package neighbour

import (
	"context"
	"net/netip"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/job"
)

// supervisor does nothing but serve events: it takes one when the script says so.
type supervisor struct {
	*Jobs
	t      *testing.T
	names  job.Names
	events chan func()
	leave  context.CancelFunc
}

func newSupervisor(t *testing.T, ranks, places int) *supervisor {
	memory, err := job.InHeap(job.Config{Ranks: ranks, Places: places, BTL: job.BTLSM, CPUs: 1})
	require.NoError(t, err)
	ends, leave := context.WithCancel(t.Context())
	w := &supervisor{t: t, events: make(chan func()), leave: leave}
	w.Jobs = New(Own{Root: memory.Root(), Until: ends, Post: func(event func()) bool {
		select {
		case w.events <- event:
			return true
		case <-ends.Done():
			return false
		}
	}}, &w.names)
	t.Cleanup(w.end)
	return w
}

func (w *supervisor) end() {
	w.leave()
	w.Close()
}

// until takes events until ok.
func (w *supervisor) until(ok func() bool) {
	for !ok() {
		(<-w.events)()
	}
}

// serve takes events until done is closed.
func (w *supervisor) serve(done <-chan struct{}) {
	for {
		select {
		case event := <-w.events:
			event()
		case <-done:
			return
		}
	}
}

// ask asks, while both sides take events, and returns what is granted.
func (w *supervisor) ask(other *supervisor, request ...string) ([]string, error) {
	answer, q := w.Handle(request)
	if q == nil {
		return job.Granted(answer)
	}
	done, over := make(chan struct{}), make(chan struct{})
	var err error
	go func() {
		answer, err = q.Wait()
		close(done)
	}()
	go func() {
		other.serve(done)
		close(over)
	}()
	w.serve(done)
	<-over
	return job.Granted(q.Answer(answer, err))
}

// Two jobs meet at a port of one, as the ranks ask for it. Each then knows the ranks of the other as visitors, and
// hears where these are reached, how they end, and that their job has ended.
func TestTwoJobsMeet(t *testing.T) {
	host, guest := newSupervisor(t, 1, 6), newSupervisor(t, 2, 6)
	number, err := host.ask(nil, job.AskNumber)
	require.NoError(t, err)
	granted, _ := host.names.Handle(host.Root.ID(), 0, []string{job.AskOpenPort, number[0]})
	port, err := job.Granted(granted)
	require.NoError(t, err)

	_, err = guest.ask(host, job.AskMeet, port[0], "1")
	require.NoError(t, err)
	own := guest.Root.JobNumber()
	host.until(func() bool { return host.Root.Visitors() == 2 })
	guest.until(func() bool { return guest.Root.Visitors() == 1 })
	visitor := func(rank int) int {
		at, ok := host.Root.Named(job.NameIn(own, rank))
		require.True(t, ok)
		return at
	}

	at := netip.MustParseAddrPort("127.0.0.1:9")
	guest.Root.SetAddresses(1, at)
	done, over := make(chan struct{}), make(chan struct{})
	go func() {
		guest.serve(done)
		close(over)
	}()
	host.until(func() bool { return host.Root.Addresses(visitor(1)) != nil })
	guest.Post(func() {
		guest.Root.SetState(0, job.StateFinal)
		guest.Ends(0)
	})
	host.until(func() bool { return host.Root.Gone(visitor(0)) })
	require.Equal(t, job.StateFinal, host.Root.State(visitor(0)))
	require.False(t, host.Root.Gone(visitor(1)))
	close(done)
	<-over
	guest.end()
	host.until(func() bool { return host.Root.Gone(visitor(1)) })
	require.Empty(t, host.met)
}

// A job that has ended, and this one itself, have no ranks to know. One without room for others asks nobody.
func TestJobsThatCannotMeet(t *testing.T) {
	w := newSupervisor(t, 1, 3)
	number, err := w.ask(nil, job.AskNumber)
	require.NoError(t, err)
	_, err = w.ask(nil, job.AskName, number[0])
	require.ErrorContains(t, err, "its job has ended")
	other := newSupervisor(t, 1, 3)
	gone, err := other.ask(nil, job.AskNumber)
	require.NoError(t, err)
	other.end()
	_, q := w.Handle([]string{job.AskName, gone[0]})
	_, err = q.Wait()
	require.ErrorContains(t, err, "its job has ended")
	q.Answer(nil, err)
	full := newSupervisor(t, 2, 2)
	_, err = full.ask(nil, job.AskName, strconv.Itoa(w.door.Number))
	require.ErrorContains(t, err, "no room for ranks of others")
}

// Ranks that are reached by IPv6 and others by IPv4 do not meet, nor do some on a loopback and others elsewhere.
func TestNetworksThatDoNotMeet(t *testing.T) {
	w := newSupervisor(t, 1, 3)
	for _, hosts := range [][2]string{{"", "fd00::1"}, {"10.0.0.1", "fd00::1"}, {"10.0.0.1", "127.0.0.1"}} {
		for i, own := range hosts {
			w.Host, _ = netip.ParseAddr(own)
			other, _ := netip.ParseAddr(hosts[1-i])
			err := w.meet(&Link{}, Hello{ID: 7, Number: 7, Host: other})
			require.ErrorContains(t, err, "the same --network", hosts)
		}
	}
}

// A question of no words, or of unknown ones, gets an empty answer.
func TestQuestionsOfNoMeaning(t *testing.T) {
	w := newSupervisor(t, 1, 4)
	for _, ask := range [][]string{{}, {"word"}, {"an", "unknown", "word"}} {
		require.Equal(t, job.Grant(), w.answerOther(1, ask))
	}
}

// Ranks that listen at all addresses of their machine are reached by the one that suits the nodes of this job.
func TestAddressOfOtherMachine(t *testing.T) {
	other := otherJob{Hello: Hello{Machine: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/8"),
		netip.MustParsePrefix("10.1.0.5/16"), netip.MustParsePrefix("10.2.0.5/16")}}}
	for host, want := range map[string]string{"127.0.0.1": "127.0.0.1", "10.2.0.1": "10.2.0.5",
		"10.3.0.1": "10.1.0.5"} {
		n := Jobs{Own: Own{Host: netip.MustParseAddr(host)}}
		require.Equal(t, want, n.addressOf(&other).String())
	}
	require.Equal(t, "127.0.0.1", (&Jobs{}).addressOf(&other).String(), "of one node: both are on the same")
	n := Jobs{Own: Own{Host: netip.MustParseAddr("10.2.0.1")}}
	require.Equal(t, "127.0.0.1", n.addressOf(&otherJob{}).String())
	far := otherJob{Hello: other.Hello, far: netip.MustParseAddr("10.4.0.5")}
	require.Equal(t, "10.4.0.5", (&Jobs{}).addressOf(&far).String())
	far.far, far.Machine = netip.MustParseAddr("fd00::5"), append([]netip.Prefix{netip.MustParsePrefix("fd00::5/64")},
		other.Machine...)
	require.Equal(t, "10.1.0.5", (&Jobs{}).addressOf(&far).String(), "its ranks listen by IPv4")
	at := netip.MustParseAddrPort("0.0.0.0:7")
	require.Equal(t, "10.2.0.5:7", n.reachable(&other, []netip.AddrPort{at})[0].String())
	require.Equal(t, "0.0.0.0:7", at.String())
}
