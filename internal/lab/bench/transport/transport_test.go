package transport

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/suci"
)

func TestMain(m *testing.M) {
	if NodeMain(os.Args[1:]) { // Cluster starts this program again
		return
	}
	os.Exit(m.Run())
}

// carriers opens so many carriers that know the first one's peers by Introduce. All but the
// first serve.
func carriers(t *testing.T, n int, tcp bool) Carrier {
	key, others := suci.NewKey(), map[Node]netip.AddrPort{}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, n)
	var first Carrier
	var here netip.AddrPort
	for i := range n {
		c := carrier(t, Node(i+1), key, tcp)
		at := c.Address()
		if i == 0 {
			first, here = c, at
			continue
		}
		others[Node(i+1)] = at
		require.NoError(t, first.Reach(Node(i+1), at))
		go func() { ended <- Serve(ctx, c) }()
		t.Cleanup(func() { require.NoError(t, c.Close()) })
	}
	t.Cleanup(func() {
		cancel()
		for range n - 1 {
			require.ErrorIs(t, <-ended, context.Canceled)
		}
		require.NoError(t, first.Close())
	})
	require.NoError(t, introduce(t.Context(), first, 1, here, others))
	return first
}

func carrier(t *testing.T, self Node, key suci.Key, tcp bool) (c Carrier) {
	loopback := netip.MustParseAddrPort("127.0.0.1:0")
	var err error
	if tcp {
		c, err = openTCP(self, loopback)
	} else {
		c, err = OpenSuci(suci.Options{Self: suci.ID(self), Key: key, Listen: loopback})
	}
	require.NoError(t, err)
	return c
}

// Every experiment works over both carriers, for messages of one byte and of many packets.
func TestExperiments(t *testing.T) {
	for _, tcp := range []bool{false, true} {
		t.Run(fmt.Sprintf("tcp=%v", tcp), func(t *testing.T) {
			const nodes = 6
			c := carriers(t, nodes, tcp)
			o := order{Self: 1, TCP: tcp, Others: map[Node]netip.AddrPort{2: {}}}
			for _, name := range Experiments {
				for _, size := range []int{1, 100_000} {
					e := Experiment{Name: name, Bytes: size, Nodes: nodes, Lasting: time.Millisecond}
					r, err := e.run(t.Context(), c, &o)
					require.NoError(t, err, "%s of %d bytes", name, size)
					require.Equal(t, name, r.Experiment)
					if name == "burst" {
						require.Positive(t, r.MBytesPerS)
						continue
					}
					require.GreaterOrEqual(t, r.Rounds, 3)
					require.LessOrEqual(t, r.Least, r.Median)
					require.LessOrEqual(t, r.Median, r.P99)
					require.LessOrEqual(t, r.P99, r.Worst)
				}
			}
			_, err := (&Experiment{Name: "nothing"}).run(t.Context(), c, &o)
			require.ErrorContains(t, err, "nothing")
		})
	}
}

// The binomial tree has every node once, and those behind a node come from it.
func TestTree(t *testing.T) {
	for nodes := uint32(1); nodes < 70; nodes++ {
		c := &tree{}
		for at := range nodes {
			c.at = at
			require.NoError(t, sendTree(t.Context(), c, make([]byte, treeHead), at, nodes, 100))
		}
		require.Len(t, c.seen, int(nodes)-1)
		for child, parent := range c.seen {
			require.Less(t, parent, child)
		}
	}
}

// tree is a carrier that notes who sends to whom.
type tree struct {
	Carrier
	at   uint32
	seen map[uint32]uint32
}

func (c *tree) Send(_ context.Context, to Node, _ []byte, _ bool) error {
	if c.seen == nil {
		c.seen = map[uint32]uint32{}
	}
	if _, twice := c.seen[to-100]; twice {
		return fmt.Errorf("node %d is reached twice", to)
	}
	c.seen[to-100] = c.at
	return nil
}

// What a stranger may send does not end a server.
func TestServerSurvivesBadMessages(t *testing.T) {
	c := carriers(t, 2, false)
	for _, bad := range [][]byte{
		{}, {0}, {opSend}, message(opSend, 8, 1<<31), message(opSend, 8, longestAnswer+1),
		{opTree}, message(opTree, treeHead, 5, 3, 1), message(opTree, treeHead, 0, 1<<31, 1),
		message(opTree, treeHead, 0, 1<<32-1, 1),
		{opPeers}, append([]byte{opPeers}, `{"1":"nowhere"}`...), message(opTree, treeHead, 0, 2, 77),
	} {
		require.NoError(t, c.Send(t.Context(), 2, bad, false))
	}
	const echo, answer = "e, and now an echo", "\x00\x00\x00"
	require.NoError(t, c.Send(t.Context(), 2, []byte(echo), false))
	require.NoError(t, c.Send(t.Context(), 2, message(opSend, 8, uint32(len(answer))), false))
	// The echo is urgent and the answer is not: what the server says to bad messages comes before one of them.
	for missing := 2; missing > 0; {
		m, err := c.Receive(t.Context())
		require.NoError(t, err)
		text := string(m.Data)
		m.Free()
		require.LessOrEqual(t, len(text), longestAnswer)
		require.NotEqual(t, string(opTree), text, "no broadcast has come to its end")
		if text == echo || text == answer {
			missing--
		}
	}
	s, err := Ask(t.Context(), c, 2)
	require.NoError(t, err)
	require.NotEmpty(t, s.Flows)
}

func TestTCPCounts(t *testing.T) {
	counts := tcpCounts("Ip: Forwarding\nIp: 1\nTcp: OutSegs RetransSegs InErrs\nTcp: 70 8 0\n")
	require.Equal(t, uint64(70), counts["OutSegs"])
	require.Equal(t, uint64(8), counts["RetransSegs"])
	require.Empty(t, tcpCounts("Tcp:\n"))
}

// What the kernel says of sockets is read by protocol and name.
func TestParseSockets(t *testing.T) {
	counts := parseSockets("sockets: used 15\nTCP: inuse 3 orphan 0 tw 0 alloc 1 mem 7\nUDP: inuse 2 mem 168\n" +
		"RAW: inuse\n")
	require.Equal(t, []int64{3, 7, 2, 168},
		[]int64{counts["TCP inuse"], counts["TCP mem"], counts["UDP inuse"], counts["UDP mem"]})
	require.Empty(t, parseSockets(""))
	require.EqualValues(t, 31, parseWakes("Name:\tx\nvoluntary_ctxt_switches:\t31\nnonvoluntary_ctxt_switches:\t7\n"))
	require.Zero(t, parseWakes("Name:\tx\n"))
}

// Queued bytes of this machine are seen while they are there: datagrams that nobody reads.
func TestGauge(t *testing.T) {
	g := newGauge()
	defer g.close()
	for range 256 { // each takes 200 KiB at least: by far more than the lots in which the kernel counts
		in, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
		require.NoError(t, err)
		defer in.Close()
		out, err := net.DialUDP("udp", nil, in.LocalAddr().(*net.UDPAddr))
		require.NoError(t, err)
		for range 24 {
			_, err := out.Write(make([]byte, 8<<10))
			require.NoError(t, err)
		}
		require.NoError(t, out.Close())
	}
	require.Positive(t, g.take())
}

// A cluster of namespaces comes up, measures, and leaves no process.
func TestCluster(t *testing.T) {
	if err := ErrCluster(); err != nil {
		t.Skip(err)
	}
	c, err := NewCluster(t.Context(), 3, Links{Rate: 100e6, Buffer: 64 << 10, Congestion: "reno"})
	if err != nil {
		t.Skip(err) // a container without the right to make namespaces
	}
	keepers := c.spaces
	for _, who := range Contestants {
		var results []Result
		list := []Experiment{{Name: "pingpong", Bytes: 8, Nodes: 3, Lasting: time.Millisecond},
			{Name: "gather", Bytes: 20_000, Nodes: 3, Lasting: time.Millisecond}}
		require.NoError(t, c.Run(t.Context(), who, 0, list,
			func(r Result) error { results = append(results, r); return nil }))
		require.Len(t, results, 2)
		require.Equal(t, who.Name, results[1].Carrier)
		require.Equal(t, "100 Mbit/s", results[1].Links)
		require.Greater(t, results[1].Least, 40_000*8/110e6*1e6, "faster than the link")
		require.Equal(t, who.TCP, results[1].Congestion == "reno")
		require.Greater(t, results[1].Wakes, 1.0, "two nodes are asked, and answer")
		require.GreaterOrEqual(t, results[1].Sockets, int64(3))
		require.InEpsilon(t, 40_000/results[1].Median, results[1].MBytesPerS, 1e-9)
	}
	c.Congestion = "none such"
	require.ErrorContains(t, c.control(t.Context()), "write one of ")
	c.Close()
	for _, k := range keepers {
		require.NotNil(t, k.keeper.ProcessState, "a namespace is still kept")
	}
}
