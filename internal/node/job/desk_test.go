package job

import (
	"fmt"
	"net/netip"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// deskOf returns the root block of a job with a desk.
func deskOf(t *testing.T, ranks, places int) *Root {
	t.Helper()
	m, err := InHeap(Config{Ranks: ranks, Places: places, Desk: true, BTL: BTLPvas, CPUs: 2})
	require.NoError(t, err)
	return m.Root()
}

// serve answers what is asked with the request itself, until the test ends.
func serve(t *testing.T, r *Root) {
	t.Helper()
	serveBy(t, r, func(rank int, request []string) []string { return Grant(append(request, fmt.Sprint(rank))...) })
}

// serveNames keeps names as a supervisor does.
func serveNames(t *testing.T, r *Root) *Names {
	t.Helper()
	n := new(Names)
	serveBy(t, r, func(rank int, request []string) []string {
		answer, _ := n.Handle(r.ID(), rank, request)
		return answer
	})
	return n
}

func serveBy(t *testing.T, r *Root, answer func(rank int, request []string) []string) {
	t.Helper()
	signals, done := make(chan os.Signal, 1), make(chan bool)
	signal.Notify(signals, syscall.SIGCHLD)
	r.Attend()
	var server sync.WaitGroup
	server.Go(func() {
		for {
			for rank, request, ok := r.Request(); ok; rank, request, ok = r.Request() {
				r.Reply(answer(rank, request)...)
			}
			select {
			case <-signals:
			case <-done:
				return
			}
		}
	})
	t.Cleanup(func() {
		signal.Stop(signals)
		close(done)
		server.Wait()
	})
}

// Each rank gets the answer to its own request, whatever others ask at the same time.
func TestDeskAnswersEachRank(t *testing.T) {
	const ranks, calls = 8, 200
	r := deskOf(t, ranks, ranks)
	_, err := r.Ask(0, "too early")
	require.ErrorIs(t, err, ErrNoDesk)
	serve(t, r)
	var all sync.WaitGroup
	for rank := range ranks {
		all.Go(func() {
			for i := range calls {
				text := fmt.Sprint(rank, "/", i)
				answer, err := r.Ask(rank, text, "")
				if err != nil || !slices.Equal(answer, []string{text, "", fmt.Sprint(rank)}) {
					t.Errorf("rank %d: %q, %v", rank, answer, err)
				}
			}
		})
	}
	all.Wait()
	_, err = r.Ask(0, string(make([]byte, deskSize)))
	require.ErrorContains(t, err, "too many")
}

// A rank that is killed at the desk, at any step, does not keep others from it.
func TestDeskOfDeadRank(t *testing.T) {
	for state := uint32(deskIdle); state <= deskAnswered; state++ {
		r := deskOf(t, 2, 2)
		r.desk.owner.Store(1)
		r.desk.state.Store(state)
		answered := make(chan error, 1)
		r.Attend()
		signals := make(chan os.Signal, 1)
		signal.Notify(signals, syscall.SIGCHLD)
		go func() {
			_, err := r.Ask(1, "x")
			answered <- err
		}()
		r.MarkGone(0)
		if state == deskTaken {
			require.Equal(t, uint32(1), r.desk.owner.Load(), "the supervisor is at work on it")
			r.Reply("")
		}
		if state != deskAsked {
			<-signals
		}
		rank, _, ok := r.Request()
		for !ok || rank != 1 {
			<-signals
			rank, _, ok = r.Request()
		}
		r.Reply("")
		require.NoError(t, <-answered)
		signal.Stop(signals)
	}
}

func TestPublishedNames(t *testing.T) {
	m, err := Private()
	require.NoError(t, err)
	t.Cleanup(func() { _ = m.Close() }) // after the end of who serves
	r := m.Root()
	ask := func(texts ...string) string {
		answer, err := r.Ask(0, texts...)
		require.NoError(t, err, texts)
		return append(answer, "")[0]
	}
	refused := func(kind error, texts ...string) {
		_, err := r.Ask(0, texts...)
		require.ErrorIs(t, err, kind, texts)
	}
	long := strings.Repeat("\xff", 2000)
	port := ask(AskOpenPort)
	parsed, err := ParsePort(port)
	require.NoError(t, err)
	require.Equal(t, Port{Job: r.ID(), Number: 1}, parsed)
	parsed.At = []netip.AddrPort{netip.MustParseAddrPort("10.1.2.3:4"), netip.MustParseAddrPort("[fd00::1]:5")}
	again, err := ParsePort(parsed.String())
	require.NoError(t, err)
	require.Equal(t, parsed, again)
	require.NotEqual(t, port, ask(AskOpenPort))
	ask(AskPort, port)
	for range 2 {
		ask(AskConnect, port)
	}
	ask(AskPublish, "a", port)
	refused(ErrService, AskPublish, "a", port)
	require.Equal(t, port, ask(AskLookup, "a"))
	refused(ErrName, AskLookup, "b")
	refused(ErrService, AskUnpublish, "a", "another")
	ask(AskUnpublish, "a", port)
	refused(ErrService, AskUnpublish, "a", port)
	asked, err := r.Ask(0, AskClosePort, port)
	require.NoError(t, err)
	require.Equal(t, []string{"0", "2"}, asked, "rank 0 has asked twice")
	refused(ErrPort, AskPort, port)
	refused(ErrPort, AskConnect, port)
	refused(ErrPort, AskClosePort, port)
	for _, request := range [][]string{{AskPort, long}, {AskLookup, long}, {AskUnpublish, long, port}} {
		_, err := r.Ask(0, request...)
		require.Less(t, len(err.Error()), len(long)/2, request[0])
	}
	for _, bad := range []string{"", "x", "gopvas:1:2:1", "gopvas:g:0:0:1", "gopvas:1:0:-1:1", "gopvas:1:1:1:1:1",
		"gopvas:1:0:0:01", "gopvas:A:0:0:1", long} {
		_, err := ParsePort(bad)
		require.ErrorIs(t, err, ErrPort, bad)
		require.Less(t, len(err.Error()), len(long)/2)
	}
	refused(ErrNoDesk, AskSpawn)

	// A supervisor that comes late is told of all.
	port = ask(AskOpenPort)
	ask(AskPublish, "late", port)
	keep := serveNames(t, r)
	open := func() int {
		keep.mu.Lock()
		defer keep.mu.Unlock()
		return len(keep.ports)
	}
	require.Equal(t, port, ask(AskLookup, "late"))
	require.Equal(t, 2, open(), "the second and the third")
	ask(AskClosePort, port)
	require.Equal(t, 1, open())
	require.NotEqual(t, port, ask(AskOpenPort))

	var n Names
	n.Handle(1, 3, []string{AskOpenPort})
	n.Handle(1, 3, []string{AskPublish, "a", "p"})
	n.Gone(3, World{Parent: -1}, "")
	require.Empty(t, n.ports)
	require.Empty(t, n.names)
}

func TestWorlds(t *testing.T) {
	r := deskOf(t, 2, 5)
	require.Equal(t, 2, r.Ranks())
	require.Equal(t, 5, r.Places())
	require.Equal(t, World{Size: 2, Parent: -1}, r.World(1))
	require.Equal(t, World{}, r.World(2))
	w, err := r.AddWorld(2, 1, 1)
	require.NoError(t, err)
	require.Equal(t, World{Number: 1, First: 2, Size: 2, Parent: 1}, w)
	require.Equal(t, w, r.World(3))
	require.Equal(t, w, r.World(2))
	require.Len(t, r.Snapshot(), 4)
	_, err = r.AddWorld(2, 0, 2)
	require.ErrorContains(t, err, "room for 5 ranks in all, and has had 4")
	require.False(t, r.Linked(w))
	r.AddLink(3, 1)
	require.True(t, r.Linked(w))
	require.False(t, r.Linked(r.World(0)))
	r.AddLink(3, -1)
	require.False(t, r.Linked(w))
}

// A world may be on several nodes. The supervisor says what ranks of other nodes do: who waits for them is woken.
func TestWorldsOfNodes(t *testing.T) {
	c := Config{Ranks: 2, Places: 5, BTL: BTLSM, CPUs: 2, Nodes: []int{0, 1}, Key: Key{1}}
	var roots []*Root
	for node := range 2 {
		c.Node = node
		m, err := InHeap(c)
		require.NoError(t, err)
		r := m.Root()
		_, err = r.AddWorld(3, 0, 1, 1, 0, 1)
		require.NoError(t, err)
		require.Equal(t, []int{1, 0, 1}, []int{r.Node(2), r.Node(3), r.Node(4)})
		require.Equal(t, []int{1, 2}[node], r.lateHere())
		roots = append(roots, r)
	}
	require.Equal(t, roots[0].ID(), roots[1].ID())
	c.Key = Key{2}
	other, err := InHeap(c)
	require.NoError(t, err)
	require.NotEqual(t, roots[0].ID(), other.Root().ID())
	c.Node = 2
	_, err = InHeap(c)
	require.ErrorContains(t, err, "no rank is on node 2")
	c.AllNodes = 3
	idle, err := InHeap(c)
	require.NoError(t, err)
	require.Equal(t, []int{3, 0}, []int{idle.Root().Nodes(), idle.Root().Near()})

	here, there := roots[0], roots[1]
	seen := here.head.addressNotes.Load()
	here.EndReceives(3)
	n, err := here.AwaitAddresses(t.Context(), seen)
	require.NoError(t, err)
	require.Equal(t, seen+1, n)
	require.True(t, there.MayReceive(3))
	there.Drains(2)
	woken := make(chan error)
	go func() { woken <- there.Inbox(2).Wait(func() bool { return !there.MayReceive(3) }) }()
	there.SetEnds(3, true)
	require.NoError(t, <-woken)
	there.SetEnds(3, false)
	require.True(t, there.MayReceive(3))
}

func TestSpawnRequests(t *testing.T) {
	list := []Command{
		{Program: "a", N: 2, Args: []string{"x", "", "y"}, Dir: "/", Path: "/bin:/usr/bin", Soft: "1:2", Host: "h"},
		{Program: "b", N: 1, Args: []string{}},
	}
	got, ok := DecodeSpawn(EncodeSpawn(list))
	require.True(t, ok)
	require.Equal(t, list, got)
	for _, bad := range [][]string{nil, {"x"}, {AskSpawn}, {AskSpawn, "a"}, {AskSpawn, "a", "x", "", "", "", "", "0"},
		{AskSpawn, "a", "1", "", "", "", "", "1"}, {AskSpawn, "a", "1", "", "", "", "", "-1"}} {
		_, ok := DecodeSpawn(bad)
		require.False(t, ok, "%q", bad)
	}
	w, counts, err := DecodeWorld(EncodeWorld(World{Number: 2, First: 7}, []int{3, 1}))
	require.NoError(t, err)
	require.Equal(t, World{Number: 2, First: 7, Size: 4}, w)
	require.Equal(t, []int{3, 1}, counts)
	for soft, want := range map[string][]int{
		"3": {3}, "1,4:6": {6, 5, 4, 1}, "2:8:3": {5, 2}, "9:1:-4": {5, 1}, "7": nil, "4:4,4": {4}} {
		got, ok := Counts(soft, 6)
		require.True(t, ok, soft)
		require.Equal(t, want, append([]int(nil), got...), soft)
	}
	for _, bad := range []string{"", "x", "1:2:0", "1:2:3:4", "99999999999", "0:99999999:1"} {
		_, ok := Counts(bad, 6)
		require.False(t, ok, bad)
	}
}

func FuzzDecodeTexts(f *testing.F) {
	f.Add(EncodeTexts([]string{"a", "", "b"}))
	f.Add([]byte{255, 255, 255, 255, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		list := DecodeTexts(b)
		require.Equal(t, list, DecodeTexts(EncodeTexts(list)))
		DecodeSpawn(append([]string{AskSpawn}, list...))
		DecodeWorld(list)
	})
}

// The first end is told of some ranks that others have started.
func TestFirstEnd(t *testing.T) {
	var n Names
	n.Gone(0, World{Size: 2, Parent: -1}, "of the first world")
	n.Gone(4, World{Number: 2, First: 4, Size: 1, Parent: 1}, "of another")
	n.Gone(3, World{Number: 1, First: 2, Size: 2, Parent: 0}, "first")
	n.Gone(2, World{Number: 1, First: 2, Size: 2, Parent: 0}, "second")
	for world, want := range map[string]string{"1": "first", "2": "of another", "3": "", "0": "", "x": ""} {
		answer, ok := n.Handle(1, 0, []string{AskEnd, world})
		require.True(t, ok)
		require.Equal(t, Grant(want), answer, world)
	}
}
