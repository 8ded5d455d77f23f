package main

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/lab/replay"
	"github.com/gopvas/gopvas/loggps"
	"github.com/gopvas/gopvas/loggps/graph"
	"github.com/gopvas/gopvas/loggps/sim"
	"github.com/gopvas/gopvas/trace"
)

// message names a message of a trace.
type message struct {
	from, to int32
	number   uint32
}

// ends collects the events of each message at its sender and at its receiver.
func ends(t *testing.T, tr *trace.Trace) (sent, received map[message]*trace.Event) {
	sent, received = map[message]*trace.Event{}, map[message]*trace.Event{}
	note := func(m map[message]*trace.Event, k message, e *trace.Event) {
		require.Nil(t, m[k], "message %v twice", k)
		m[k] = e
	}
	for rank := range tr.Ranks {
		for i := range tr.Ranks[rank].Events {
			e := &tr.Ranks[rank].Events[i]
			switch {
			case e.Message == 0:
			case e.Kind == trace.Send || e.Kind == trace.Sent:
				note(sent, message{int32(rank), e.Peer, e.Message}, e)
			case e.Kind == trace.Recv || e.Kind == trace.Received:
				note(received, message{e.Peer, int32(rank), e.Message}, e)
			}
		}
	}
	return sent, received
}

// TestTrace: each message of a program has both its ends, with the same length and tag, and
// the trace can be run again.
func TestTrace(t *testing.T) {
	program := programs.Build(t, "./testdata/traced")
	const ranks = 3
	for _, btl := range turn(t, 0) {
		t.Run(btl, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "trace")
			got := command(t, nil, "--btl", btl, "--timeout", "60", "-n", "3", "--trace", file, program)
			require.Equal(t, 0, got.code, got.stderr)
			require.Empty(t, got.stderr)
			tr, err := trace.Open(file)
			require.NoError(t, err)
			require.NoError(t, tr.Cut)
			require.Zero(t, tr.Lost())
			checkMessages(t, tr, ranks)
			checkSites(t, tr)
			checkReplay(t, tr)
			checkInfo(t, file, btl)
		})
	}
}

// checkMessages holds the messages of the program against what it does.
func checkMessages(t *testing.T, tr *trace.Trace, ranks int) {
	sent, received := ends(t, tr)
	require.Equal(t, len(sent), len(received))
	byBytes := map[uint64]int{}
	for k, s := range sent {
		r := received[k]
		require.NotNil(t, r, "message %v was not received", k)
		require.Equal(t, s.Bytes, r.Bytes, k)
		require.Equal(t, s.Tag, r.Tag, k)
		require.Equal(t, s.Context, r.Context, k)
		require.Equal(t, s.Protocol(), r.Protocol(), k)
		if s.Flags&trace.Inside == 0 {
			byBytes[s.Bytes]++
			n := tr.Meta.Nodes
			far := n != nil && n[k.from] != n[k.to]
			if s.Bytes == 100000 || s.Bytes == 50000 && !far || s.Bytes == 16 { // too long to be eager, or synchronous
				assert.Equal(t, trace.Rendezvous, s.Protocol(), k)
			}
		}
	}
	pairs := ranks * (ranks - 1)
	assert.Equal(t, map[uint64]int{8: 18, 100000: 2, 16: ranks, 32: pairs, 50000: pairs, 24: 3, 4: ranks - 1, 12: 1},
		byBytes)
	wild := 0
	for _, r := range received {
		if r.Flags&trace.AnySource != 0 {
			wild++
		}
	}
	assert.Equal(t, ranks-1, wild)
	for rank := range tr.Ranks {
		kinds := map[trace.Kind]int{}
		for _, c := range tr.Ranks[rank].Calls() {
			kinds[c.Kind]++
		}
		for _, k := range []trace.Kind{trace.Init, trace.Finalize, trace.WaitAll, trace.Allreduce,
			trace.Bcast, trace.Barrier} {
			assert.Equal(t, 1, kinds[k], "%v of rank %d", k, rank)
		}
	}
}

// checkSites: each call has the line of the program that makes it.
func checkSites(t *testing.T, tr *trace.Trace) {
	text, err := os.ReadFile("testdata/traced/main.go")
	require.NoError(t, err)
	lines := strings.Split(string(text), "\n")
	calls := map[trace.Kind]string{
		trace.Send: "send(", trace.Recv: "mpi.recv(", trace.Isend: "mpi.isend(", trace.Irecv: "mpi.irecv(",
		trace.Start: ".start()",
		trace.Wait:  ".wait()", trace.WaitAll: "mpi.waitall(", trace.Allreduce: "mpi.allreduce(",
		trace.Bcast: "mpi.bcast(", trace.Barrier: ".barrier()",
	}
	for rank := range tr.Ranks {
		r := &tr.Ranks[rank]
		for _, c := range r.Calls() {
			if c.Kind == trace.Init || c.Kind == trace.Finalize {
				continue
			}
			at, ok := strings.CutPrefix(r.Sites[c.Site], "main.go:")
			require.True(t, ok, "%v at %q", c.Kind, r.Sites[c.Site])
			line, err := strconv.Atoi(at)
			require.NoError(t, err)
			require.Contains(t, strings.ToLower(lines[line-1]), calls[c.Kind])
		}
	}
}

// checkReplay runs the graph of a trace: it has the messages of the trace and comes to an end, also
// without any buffers, as the program does.
func checkReplay(t *testing.T, tr *trace.Trace) {
	r, err := replay.New(tr, replay.Options{})
	require.NoError(t, err)
	count, bytes := 0, int64(0)
	for id := range r.Graph.Len() {
		if op := r.Graph.Op(graph.ID(id)); op.Kind.Sends() && op.Tag < 1<<30 {
			count++
			bytes += op.Size
		}
	}
	sent, _ := ends(t, tr)
	var want int64
	for _, s := range sent {
		want += int64(s.Bytes)
	}
	assert.Equal(t, len(sent), count)
	assert.Equal(t, want, bytes)
	checkRuns(t, tr)
}

// checkRuns runs the graph of a trace to its end.
func checkRuns(t *testing.T, tr *trace.Trace) {
	r, err := replay.New(tr, replay.Options{})
	require.NoError(t, err)
	machine := loggps.Single(loggps.Params{L: 500, O: 200, Gs: 0.1, Gl: 0.1, Packet: 4096, Sync: 4096})
	for _, synchronous := range []bool{false, true} {
		result, err := sim.Run(r.Graph, sim.Options{Machine: machine, Synchronous: synchronous})
		require.NoError(t, err)
		assert.Positive(t, result.Time())
	}
}

// TestTraceOfCollectives: the trace of any collective call is replayed to its end, by whichever
// algorithm the call was made. A rank may have ended before it learns that a communicator was freed.
func TestTraceOfCollectives(t *testing.T) {
	program := programs.Build(t, "./testdata/collectives")
	for i, ranks := range []string{"5", "2"} {
		for _, btl := range turn(t, i) {
			file := filepath.Join(t.TempDir(), "trace")
			got := command(t, nil, "--btl", btl, "--timeout", "60", "-n", ranks, "--trace", file, program)
			require.Equal(t, 0, got.code, got.stderr)
			tr, err := trace.Open(file)
			require.NoError(t, err)
			kinds := map[trace.Kind]bool{}
			for _, c := range tr.Ranks[0].Calls() {
				kinds[c.Kind] = true
			}
			for k := trace.Barrier; k <= trace.Neighbor; k++ {
				assert.True(t, kinds[k], "%v", k)
			}
			r, err := replay.New(tr, replay.Options{})
			require.NoError(t, err)
			for _, synchronous := range []bool{false, true} {
				_, err := sim.Run(r.Graph,
					sim.Options{Machine: loggps.Single(loggps.Params{L: 500, O: 200, Packet: 4096, Sync: 4096}),
						Synchronous: synchronous})
				require.NoError(t, err, "%s, %s ranks", btl, ranks)
			}
		}
	}
}

func checkInfo(t *testing.T, file, btl string) {
	got := command(t, nil, "trace", "info", "--json", file)
	require.Equal(t, 0, got.code, got.stderr)
	var s trace.Summary
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &s))
	assert.Equal(t, btl, s.Meta.BTL)
	assert.Equal(t, []string{"traced"}, s.Meta.Command)
	assert.Len(t, s.Ranks, 3)
	assert.Empty(t, s.Cut)
	got = command(t, nil, "trace", "info", file)
	require.Equal(t, 0, got.code, got.stderr)
	assert.Contains(t, got.stdout, "3 ranks")
	assert.Contains(t, got.stdout, "allreduce")
	got = command(t, nil, "trace", "list", "--rank", "1", file)
	require.Equal(t, 0, got.code, got.stderr)
	assert.Contains(t, got.stdout, "recv peer 0")
	got = command(t, nil, "trace", "perfetto", "-o", file+".perfetto", file)
	require.Equal(t, 0, got.code, got.stderr)
	require.FileExists(t, file+".perfetto")
	got = command(t, nil, "trace", "perfetto", "-o", file, file)
	require.Equal(t, 2, got.code, got.stderr)
	require.Contains(t, got.stderr, "would replace the trace")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	cut := file + ".cut"
	require.NoError(t, os.WriteFile(cut, text[:len(text)-1], 0o600))
	got = command(t, nil, "trace", "perfetto", "-o", file+".perfetto", cut)
	require.Equal(t, 1, got.code, got.stderr)
	require.Contains(t, got.stderr, "trace perfetto: "+cut+": ")
	require.Contains(t, got.stderr, "; "+file+".perfetto has what comes before")
	other := file + ".other"
	require.NoError(t, os.WriteFile(other, []byte(trace.Magic), 0o600))
	got = command(t, nil, "trace", "perfetto", "-o", other, file)
	require.Equal(t, 2, got.code, got.stderr)
	require.Contains(t, got.stderr, "it is no trace for Perfetto and is not overwritten")
}

// TestTraceOfFailure: a job that fails leaves what was recorded, and its own exit code.
func TestTraceOfFailure(t *testing.T) {
	program := programs.Build(t, "./testdata/traced")
	for _, btl := range turn(t, 1) {
		file := filepath.Join(t.TempDir(), "trace")
		got := command(t, nil, "--btl", btl, "--timeout", "60", "-n", "3", "--trace", file, program, "die")
		require.Equal(t, 7, got.code, got.stderr)
		tr, err := trace.Open(file)
		require.NoError(t, err)
		require.NoError(t, tr.Cut)
		assert.NotEmpty(t, tr.Ranks[1].Events)
		assert.Contains(t, tr.Unended(), 1)
		const says = `the job failed or was ended: \d of 3 ranks did not reach Finalize, such as rank \d`
		got = command(t, nil, "trace", "info", file)
		assert.Regexp(t, says, got.stdout)
		got = command(t, nil, "model", "run", "--param", "myrinet", file)
		assert.Regexp(t, says, got.stderr)
	}
}

// TestTraceThatCannotBeWritten costs the trace, and not the job.
func TestTraceThatCannotBeWritten(t *testing.T) {
	got := command(t, nil, "-n", "2", "--trace", filepath.Join(t.TempDir(), "missing", "file"), "true")
	assert.Equal(t, 2, got.code, "as a wrong --profile")
	assert.Contains(t, got.stderr, "--trace")
	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	for _, file := range []string{pipe, "/dev/full", t.TempDir()} {
		got = command(t, nil, "-n", "2", "--trace", file, "sh", "-c", "echo done")
		assert.NotZero(t, got.code)
		assert.Contains(t, got.stderr, "--trace: "+file+": it is no regular file: name a file")
		assert.Empty(t, got.stdout, "the job has not begun")
	}
	got = command(t, nil, "-n", "1", "--trace", os.DevNull, "sh", "-c", "echo done")
	assert.Zero(t, got.code, got.stderr)
	got = command(t, nil, "--hosts", "a:1,b:1", "--rsh", hereAs(t), "--trace",
		filepath.Join(t.TempDir(), "missing", "file"), "sh", "-c", "echo done")
	assert.NotZero(t, got.code)
	assert.Contains(t, got.stderr, "--trace: stat ")
	assert.Empty(t, got.stdout)
}

// TestTraceIntoAFileOfAnotherKind: whoever forgets FILE names the program, which must survive it.
func TestTraceIntoAFileOfAnotherKind(t *testing.T) {
	file := filepath.Join(t.TempDir(), "prog")
	require.NoError(t, os.WriteFile(file, []byte("\x7fELF, or anything else"), 0o755))
	got := command(t, nil, "-n", "1", "--trace", file, "true")
	assert.Equal(t, 2, got.code, got.stderr)
	assert.Contains(t, got.stderr, "it is no trace and is not overwritten")
	left, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "\x7fELF, or anything else", string(left))

	require.NoError(t, os.WriteFile(file, nil, 0o644))
	for range 2 { // into an empty file, and over a trace
		got = command(t, nil, "-n", "1", "--trace", file, "true")
		require.Zero(t, got.code, got.stderr)
		_, err = trace.Open(file)
		require.NoError(t, err)
	}
}

// TestTraceTwice: two jobs cannot write to one file, and the first one's trace stays whole.
func TestTraceTwice(t *testing.T) {
	file := filepath.Join(t.TempDir(), "trace")
	first := exec.Command(pvasrun, "--btl", "sm", "-n", "1", "--timeout", "60", "--trace", file, "sh", "-c",
		"echo begun; read end; exit 0")
	in, err := first.StdinPipe()
	require.NoError(t, err)
	out, err := first.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, first.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "begun\n", line)
	got := command(t, nil, "-n", "1", "--trace", file, "true")
	assert.NotZero(t, got.code)
	assert.Contains(t, got.stderr, "another job writes to it")
	require.NoError(t, in.Close())
	require.NoError(t, first.Wait())
	tr, err := trace.Open(file)
	require.NoError(t, err)
	require.NoError(t, tr.Cut)
}

func TestTraceMistakes(t *testing.T) {
	cut := filepath.Join(t.TempDir(), "cut")
	require.NoError(t, os.WriteFile(cut, []byte("gopvastr"), 0o644))
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"trace"}, 2, "say what to do"},
		{[]string{"trace", "info"}, 2, "name one trace"},
		{[]string{"trace", "perfetto", cut}, 2, "-o FILE is missing"},
		{[]string{"trace", "perfetto", cut, "-o", cut + "x"}, 2, "this is no trace"},
		{[]string{"trace", "info", cut}, 2, "this is no trace"},
		{[]string{"trace", "info", filepath.Dir(cut)}, 2, "it is a directory"},
		{[]string{"trace", "info", cut + "x"}, 2, "no such file or directory: name the file of pvasrun --trace FILE"},
	} {
		got := command(t, nil, c.args...)
		assert.Equal(t, c.code, got.code, "%v: %s", c.args, got.stderr)
		assert.Contains(t, got.stderr, c.says)
	}
}
