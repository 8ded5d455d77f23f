package cluster

import (
	"net/netip"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// Each node hears all others, by each device, but for a path on which datagrams are lost. So does a node that has no
// CPU from its first datagram on until the time is over.
func TestProbe(t *testing.T) {
	for _, name := range []string{"all pass", "one path is blocked", "one is starved", "a job does without a path"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const nodes = 3
			without, starved := name == "a job does without a path", name == "one is starved"
			blocked := name == "one path is blocked" || without
			loopback := netip.MustParseAddr("127.0.0.1")
			c := calling{Key: [16]byte{1: 7}, All: !without}
			var probes [nodes]probe
			var sent, said sync.WaitGroup
			sent.Add(nodes)
			said.Add(nodes)
			over := make(chan struct{})
			for i := range probes {
				d, err := probes[i].open([]netip.Addr{loopback, loopback})
				require.NoError(t, err)
				defer probes[i].close()
				c.Doors = append(c.Doors, d.At)
			}
			var all [nodes][][]bool
			var running sync.WaitGroup
			for i := range probes {
				own := c
				own.Self = i
				if blocked && i == 0 {
					own.Doors = slices.Clone(c.Doors)
					own.Doors[1] = []netip.AddrPort{c.Doors[1][0], netip.AddrPortFrom(loopback, 9)} // of discard
				}
				running.Go(func() {
					probes[i].run(own, func() {
						sent.Done()
						if starved && i == 2 {
							<-over
						}
					}, func(h *heard) {
						all[i] = h.By
						said.Done()
					})
				})
			}
			sent.Wait()
			if without {
				said.Wait()
			}
			if blocked || starved {
				for i := range probes {
					probes[i].over.Store(true)
				}
			}
			close(over)
			running.Wait()
			for i, by := range all {
				for device := range by {
					for node, heard := range by[device] {
						lost := i == node || blocked && node == 0 && i == 1 && device == 1
						require.Equal(t, !lost, heard, "%d hears %d by %d", i, node, device)
					}
				}
			}
		})
	}
}

// Datagrams of others, and of another check, are not heard.
func TestProbeHearsNobodyElse(t *testing.T) {
	var p probe
	d, err := p.open([]netip.Addr{netip.MustParseAddr("127.0.0.1")})
	require.NoError(t, err)
	defer p.close()
	p.calling = calling{Key: [16]byte{5}, Doors: [][]netip.AddrPort{d.At, d.At, nil}}
	p.by, p.known, p.silent, p.unknown = [][]bool{make([]bool, 3)}, [][]bool{make([]bool, 3)}, 1, 1
	good := append([]byte(probeMagic), p.Key[:]...)
	good = append(good, 1, 0, 0, 0, 1)
	for i := range good[:len(good)-1] {
		bad := slices.Clone(good)
		bad[i] ^= 0xfe
		p.take(0, bad)
	}
	for node := range []byte{0, 2, 3} {
		bad := slices.Clone(good)
		bad[len(probeMagic)+16] = []byte{0, 2, 3}[node]
		p.take(0, bad)
	}
	for n := range good {
		p.take(0, good[:n])
	}
	p.take(0, append(good, 0))
	require.Equal(t, [][]bool{{false, false, false}}, p.by)
	p.take(0, good)
	p.take(0, good)
	require.Equal(t, [][]bool{{false, true, false}}, p.by)
	require.Zero(t, p.silent+p.unknown)
}
