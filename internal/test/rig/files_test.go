package rig

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/test/testkit"
)

// lose makes the switch drop a share of the packets towards each node, but for those of TCP and ARP.
func (r *Rig) lose(share float64) {
	var rules strings.Builder
	for i := range r.nodes {
		fmt.Fprintf(&rules, "table netdev loss%d { chain out { type filter hook egress device \"%s\" priority 0\n"+
			"meta l4proto udp numgen random mod 1000000 < %d drop\n}\n}\n", i, port(i), int(share*1e6))
	}
	cmd := exec.Command("nsenter", "-t", strconv.Itoa(r.rack.pid), "-n", "nft", "-f", "-")
	cmd.Stdin = strings.NewReader(rules.String())
	out, err := cmd.CombinedOutput()
	require.NoError(r.t, err, "%s", out)
}

// Ranks of several nodes that see one file system write and read a file together, though the network loses packets:
// views at random, against a list of bytes, and the shared pointer.
func TestFilesOverNodes(t *testing.T) {
	t.Parallel()
	r := withSSH(t, 3, "nft")
	r.lose(0.02)
	seed := testkit.Seed(t)
	for _, btl := range []string{"pvas", "sm"} {
		dir := t.TempDir()
		j := r.start(append(bySSH(r, 2), "--btl", btl, files, dir+"/file", fmt.Sprint(seed),
			fmt.Sprint(testkit.Rounds(20))), nil)
		require.Zero(t, j.wait(t, 3*time.Minute), &j.stderr)
		left, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.Empty(t, left)
	}
	j := r.start(append(bySSH(r, 2), files, "/dev/shm/file", "1", "1"), nil) // each node has its own
	require.Equal(t, 1, j.wait(t, time.Minute), &j.stderr)
	require.Contains(t, j.stderr.String(), "put it where all nodes share it")
}

// A rank, a node's processes or a node goes while all ranks make collective calls on a file, at any point of them. The
// network may lose packets. The job ends, says who has gone, and leaves nothing but the file.
func TestHarmInFiles(t *testing.T) {
	t.Parallel()
	r := withSSH(t, 3, "nft")
	r.lose(0.02)
	random := testkit.Rand(t)
	for _, btl := range []string{"pvas", "sm"} {
		for range testkit.Rounds(2) {
			for _, what := range []string{"rank", "host", "agent by ssh", "cut"} {
				if what == "host" && btl == "sm" {
					continue
				}
				harmInFile(t, r, what, random, append(bySSH(r, 2), "--btl", btl, files), "1000000")
			}
		}
	}
}

// TestHarmAtSharedPointer ends the node that has the shared pointer while ranks write by it, each for itself and all
// together.
func TestHarmAtSharedPointer(t *testing.T) {
	t.Parallel()
	r := withSSH(t, 3, "nft")
	r.lose(0.02)
	random := testkit.Rand(t)
	harms := [][2]string{{"rank", "n1:2,n2:2,n0:2"}, {"agent by ssh", "n2:2,n1:2,n0:2"}, {"cut", "n2:2,n0:2,n1:2"}}
	for _, btl := range []string{"pvas", "sm"} {
		for range testkit.Rounds(2) {
			for _, h := range harms {
				harmInFile(t, r, h[0], random, []string{pvasrun, "--hosts", h[1], "--btl", btl, files}, "-1")
			}
		}
	}
}

// harmInFile does one of harms to ranks that use a file, at any point.
func harmInFile(t *testing.T, r *Rig, what string, random *rand.Rand, argv []string, rounds string) {
	dir := t.TempDir()
	j := r.start(append(argv, dir+"/file", "1", rounds), nil)
	j.awaitRanks(t, 6)
	time.Sleep(time.Duration(random.IntN(300)) * time.Millisecond) // what is tested
	j.harm(t, what)
	left, err := filepath.Glob(dir + "/*")
	require.NoError(t, err)
	require.Equal(t, []string{dir + "/file"}, left)
	for node := range r.Size() {
		require.Empty(t, r.Files(node), "in /dev/shm of n%d", node)
	}
}
