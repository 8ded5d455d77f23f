package run

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"text/tabwriter"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/internal/msg/coll"
	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/node/job"
)

// statistics is what the ranks of a job have counted.
type statistics struct {
	messages    []comm.Statistics // by rank
	node        []int             // likewise
	collectives []coll.Calls      // of all ranks
	devices     [][]job.DeviceUse // by rank, those up to the last one that any rank has used
	uses        []comm.Uses       // by rank
}

// collect reads them when all ranks have ended.
func (s *statistics) collect(root *job.Root) {
	for rank := range root.Ranks() {
		s.messages = append(s.messages, comm.PublishedStats(root, rank))
		s.node = append(s.node, root.Node(rank))
		s.uses = append(s.uses, comm.UsesOf(root, rank))
	}
	s.collectives = coll.CallsOf(root)
	used := 0
	for rank := range root.Ranks() {
		for device := used; device < job.MaxDevices; device++ {
			if root.DeviceUse(rank, device) != (job.DeviceUse{}) {
				used = device + 1
			}
		}
	}
	for rank := range root.Ranks() {
		s.devices = append(s.devices, nil)
		for device := range used {
			s.devices[rank] = append(s.devices[rank], root.DeviceUse(rank, device))
		}
	}
}

// printDevices prints what each rank has done with the network devices of its node.
func (s *statistics) printDevices(w io.Writer, nodes []string) error {
	if len(s.devices) == 0 || len(s.devices[0]) == 0 {
		return nil
	}
	fmt.Fprintln(w,
		"network devices: bytes sent and received, pieces of long messages, time in which something was being sent, "+
			"and what was measured: bandwidth, and what a piece costs")
	t := cli.NewTable(w)
	fmt.Fprintln(t, "rank\tnode\tdevice\tsent\treceived\tpieces\tbusy s\tMB/s\tus\tfailures\t")
	for rank, list := range s.devices {
		node := ""
		if s.node[rank] < len(nodes) {
			node = nodes[s.node[rank]]
		}
		for device, u := range list {
			fmt.Fprintf(t, "%d\t%s\t%d\t%d\t%d\t%d\t%.3f\t%s\t%s\t%d\t\n", rank, node, device,
				u.Sent, u.Received, u.Pieces,
				float64(u.Busy)/1e9, cli.IfKnown(float64(u.Bandwidth)/1e6),
				cli.IfKnown(float64(u.Latency)/1e3), u.Failures)
		}
	}
	return t.Flush()
}

// printUses prints what each rank has done with files and windows.
func (s *statistics) printUses(w io.Writer) error {
	err := s.printUse(w, "files: calls that have read and written, their bytes, and the time in them",
		[]string{"reads", "writes"}, func(u *comm.Uses) []comm.Use { return []comm.Use{u.Read, u.Written} })
	return errors.Join(err, s.printUse(w, "windows: operations, their bytes and the time in them; calls of epochs",
		[]string{"puts", "gets", "accumulates", epochCalls}, func(u *comm.Uses) []comm.Use {
			return []comm.Use{u.Put, u.Got, u.Accumulated, u.InEpoch}
		}))
}

// epochCalls move no bytes.
const epochCalls = "epochs"

// printUse prints some uses of all ranks, unless there are none.
func (s *statistics) printUse(w io.Writer, title string, names []string, of func(*comm.Uses) []comm.Use) error {
	if !slices.ContainsFunc(s.uses, func(u comm.Uses) bool {
		return slices.ContainsFunc(of(&u), func(u comm.Use) bool { return u.Calls > 0 })
	}) {
		return nil
	}
	fmt.Fprintln(w, title)
	t := cli.NewTable(w)
	fmt.Fprint(t, "rank\t")
	for _, name := range names {
		if name == epochCalls {
			fmt.Fprintf(t, "%s\ts\t", name)
		} else {
			fmt.Fprintf(t, "%s\tbytes\ts\tMB/s\t", name)
		}
	}
	fmt.Fprintln(t)
	for rank := range s.uses {
		fmt.Fprintf(t, "%d\t", rank)
		for i, u := range of(&s.uses[rank]) {
			if names[i] == epochCalls {
				fmt.Fprintf(t, "%d\t%.3f\t", u.Calls, float64(u.Time)/1e9)
			} else {
				fmt.Fprintf(t, "%d\t%d\t%.3f\t%s\t", u.Calls, u.Bytes, float64(u.Time)/1e9,
					cli.IfKnown(float64(u.Bytes)/float64(u.Time)*1e3))
			}
		}
		fmt.Fprintln(t)
	}
	return t.Flush()
}

// printCollectives prints which algorithms have done the collective operations.
func (s *statistics) printCollectives(w io.Writer) error {
	if len(s.collectives) == 0 {
		return nil
	}
	fmt.Fprintln(w, "collective operations, by algorithm; calls of all ranks")
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, c := range s.collectives {
		fmt.Fprintf(t, "  %s\t%s\t%d\n", c.Operation, c.Algorithm, c.Calls)
	}
	return t.Flush()
}

// printMessages prints what the messages of each rank have cost, and the sums: of each node, if
// there are several, and of all.
func (s *statistics) printMessages(w io.Writer, nodes []string) error {
	fmt.Fprintln(w,
		"messages sent, by path (messages/bytes), and what they have cost; a rank that ended early shows "+
			"what it published last")
	t := cli.NewTable(w)
	fmt.Fprintln(t,
		"rank\tinline\teager\trendezvous\tself\treceived "+
			"direct\tcma\tpipelined\tcopies\tunexpected\tmost\tqueued\tsleeps\twakes\t")
	var sum comm.Statistics
	sums := make([]comm.Statistics, len(nodes))
	for rank, m := range s.messages {
		statsRow(t, fmt.Sprint(rank), m)
		sum = sum.Plus(m)
		if node := s.node[rank]; node < len(sums) {
			sums[node] = sums[node].Plus(m)
		}
	}
	for node, m := range sums {
		statsRow(t, nodes[node], m)
	}
	if len(s.messages) > 1 {
		statsRow(t, "all", sum)
	}
	return t.Flush()
}

func statsRow(w io.Writer, name string, s comm.Statistics) {
	path := func(p comm.Path) string { return fmt.Sprintf("%d/%d", p.Messages, p.Bytes) }
	fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t\n", name,
		path(s.Inline), path(s.Eager), path(s.Rendezvous), path(s.Self), path(s.Direct), path(s.CMA), path(s.Pipelined),
		s.Copies, s.Unexpected, s.UnexpectedHigh, s.Queued, s.Sleeps, s.Wakes)
}

// printStats prints what was counted, as far as that is asked for. nodes are the names of the
// nodes of a job on several.
func (f *Flags) printStats(stats *statistics, nodes []string) (err error) {
	if f.Stats {
		err = errors.Join(stats.printMessages(os.Stderr, nodes), stats.printDevices(os.Stderr, nodes),
			stats.printUses(os.Stderr))
	}
	if f.Stats || f.Verbose {
		err = errors.Join(err, stats.printCollectives(os.Stderr))
	}
	return err
}
