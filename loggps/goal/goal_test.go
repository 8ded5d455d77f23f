package goal

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/test/testkit"
	"github.com/gopvas/gopvas/loggps/graph"
	"github.com/gopvas/gopvas/loggps/internal/graphtest"
)

// everything uses all of the grammar.
const everything = `// a comment
num_ranks 3 /* one
of several
lines */
rank 0 {
l1: calc 100 cpu 1
	l2: send 10b to 1 tag 5 cpu 1 nic 2 // indented
l2 requires l1
  send_it:send 20 b to 2 nic 1 tag 7
send_it irequires l2
calc 5
}
rank 2 { recv 20b from -1 tag -1 }

rank 1 {
recv 10b from 0 tag 5 cpu 2
}`

func read(t testing.TB, text string) *graph.Graph {
	t.Helper()
	g, err := Read(strings.NewReader(text), "x.goal")
	require.NoError(t, err)
	return g
}

func checkEverything(t *testing.T, g *graph.Graph) {
	t.Helper()
	assert.Equal(t, 3, g.Ranks())
	assert.Equal(t, 6, g.Len())
	assert.Equal(t, 3, g.CPUs())
	assert.Equal(t, 3, g.NICs())
	assert.True(t, g.Wildcards(2))
	assert.False(t, g.Wildcards(1))
	var got []string
	for id := range graph.ID(g.Len()) {
		op := g.Op(id)
		got = append(got, fmt.Sprintf("%s cpu %d nic %d", g.Describe(id), op.CPU, op.NIC))
		for _, d := range g.Dependents(id) {
			got = append(got, fmt.Sprintf("%d %s %d", d.ID(), d.Dep(), id))
		}
	}
	assert.Equal(t, []string{
		"rank 0, x.goal:6: calc 100 ns cpu 1 nic 0", "1 requires 0",
		"rank 0, x.goal:7: send 10 B to rank 1, tag 5 cpu 1 nic 2", "2 irequires 1",
		"rank 0, x.goal:9: send 20 B to rank 2, tag 7 cpu 0 nic 1",
		"rank 0, x.goal:11: calc 5 ns cpu 0 nic 0",
		"rank 2, x.goal:13: recv 20 B from any, tag any cpu 0 nic 0",
		"rank 1, x.goal:16: recv 10 B from rank 0, tag 5 cpu 2 nic 0",
	}, got)
}

func TestRead(t *testing.T) {
	checkEverything(t, read(t, everything))
	// A reader may hand out its bytes as it likes; lines may end as on Windows.
	g, err := Read(iotest.OneByteReader(strings.NewReader(strings.ReplaceAll(everything, "\n", "\r\n"))), "x.goal")
	require.NoError(t, err)
	checkEverything(t, g)
}

func TestReadCompressed(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := io.WriteString(z, everything)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	g, err := Read(bytes.NewReader(b.Bytes()), "x.goal")
	require.NoError(t, err)
	checkEverything(t, g)

	// Cut off anywhere, it is an error, not a shorter program.
	for n := 3; n < b.Len(); n++ {
		_, err := Read(bytes.NewReader(b.Bytes()[:n]), "x.goal")
		require.Error(t, err, "%d bytes", n)
	}
}

func TestReadFile(t *testing.T) {
	name := t.TempDir() + "/a.goal"
	require.NoError(t, os.WriteFile(name, []byte("num_ranks 1"), 0o600))
	g, err := ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, name, g.Name)
	_, err = ReadFile(name + "x")
	assert.ErrorIs(t, err, os.ErrNotExist)
	broken := errors.New("broken disk")
	_, err = Read(io.MultiReader(strings.NewReader("num_ranks 1\n"), iotest.ErrReader(broken)), "x")
	assert.ErrorIs(t, err, broken)
}

// Every mistake is reported with file, line and what to do.
func TestMistakes(t *testing.T) {
	in := func(s string) string { return "num_ranks 2\nrank 0 {\n" + s + "\n}\n" }
	for text, want := range map[string]string{
		"":                                         "x:0: num_ranks is missing; begin the file",
		"rank 0 {\n}":                              "x:1: rank comes before num_ranks",
		"num_ranks 0":                              "x:1: num_ranks 0 is out of range; want 1",
		"num_ranks 99999999999":                    "x:1: num_ranks 99999999999 is out of range",
		"num_ranks 2\nnum_ranks 2":                 "x:2: num_ranks is given a second time",
		"num_ranks 2\nrank 2 {\n}":                 "x:2: graph: begin rank 2: there are 2 ranks",
		"num_ranks 2\nrank 0 {\n}\nrank 0 {":       "x:4: rank 0 has been given in line 2",
		"num_ranks 2\nrank 0\n{":                   `x:2: unexpected ""; want "{"`,
		"num_ranks 2\ncalc 1":                      `x:2: "calc" is outside of any rank`,
		"num_ranks 2\n\nrank 0 {\ncalc 1":          "x:3: the rank that begins here never ends; add }",
		"num_ranks 2\n/*\n\n":                      "x:2: the comment that begins here never ends",
		in("calc -5"):                              "x:3: calc -5 is out of range; want 0",
		in("send -8b to 1"):                        "x:3: send -8 is out of range",
		in("send 99999999999999999999b to 1"):      "x:3: send 99999999999999999999 is out of range",
		in("send 8b to 2"):                         "x:3: to 2 is out of range; want 0 to 1",
		in("send 8b to -1"):                        "x:3: to -1 is out of range",
		in("recv 8b from -2"):                      "x:3: from -2 is out of range; want -1",
		in("send 8b to 1 tag -1"):                  "x:3: tag -1 is out of range",
		in("send 8b from 1"):                       `x:3: unexpected "from"; want "to"`,
		in("send 8 to 1"):                          `x:3: unexpected "to"; want "b"`,
		in("send b to 1"):                          `x:3: unexpected "b" after send; want a number`,
		in("send 8b to 1 cpu 256"):                 "x:3: cpu 256 is out of range; want 0 to 255",
		in("send 8b to 1 tag 1 tag 2"):             "x:3: tag is given a second time",
		in("calc 8 tag 1"):                         "x:3: a calc has no tag",
		in("send 8b to 1 prio 3"):                  `x:3: unexpected "prio" after a send`,
		in("l1 requires l2"):                       `x:3: label "l1" is not defined`,
		in("a: calc 1\na requires b"):              `x:4: label "b" is not defined`,
		in("a: calc 1\na: calc 2"):                 "x:4: label a is used a second time",
		in("a: calc 1\n}\nrank 1 {\na requires a"): `x:6: label "a" is not defined; labels belong to a rank`,
		in("a: calc 1\na requires a"):              "x:3: this operation waits for itself",
		in("c: calc 1\na: calc 1\nb: recv 1b from 1\na requires b\nb " +
			"irequires a\nc requires a"): "x:4: this operation waits for itself through its dependencies; take one",
		in("a: calc 1\na requires"):                `x:4: label "" is not defined`,
		in("a: calc 1\nb: calc 1\na requires b b"): `x:5: unexpected "b" after a dependency`,
		in("a: jump 1"):                            `x:3: unexpected "jump" after label a`,
		in("a calc 1"):                             `x:3: unexpected "calc" after a`,
		in("5 calc 1"):                             `x:3: unexpected "5"; want an operation`,
		in("calc 1;"):                              "x:3: unexpected character ';'",
		in(strings.Repeat("x", 1<<17)):             "x:3: the line has more than 65536 bytes",
		"\x1f\x8b\x00":                             "goal: x: open gzip data",
	} {
		_, err := Read(strings.NewReader(text), "x")
		require.Error(t, err, "%.60q", text)
		assert.ErrorContains(t, err, want, "%.60q", text)
		assert.Contains(t, err.Error(), "goal: x:", "%.60q", text)
	}
	var e *Error
	_, err := Read(strings.NewReader(in("calc x")), "x")
	require.ErrorAs(t, err, &e)
	assert.Equal(t, 3, e.Line)
}

// dump is all of a graph but its name and sites.
func dump(g *graph.Graph) string {
	var b strings.Builder
	for r := range g.Ranks() {
		span := g.Of(r)
		for id := span.First; id < span.End; id++ {
			op := g.Op(id)
			fmt.Fprintf(&b, "%d %s %d %d\n", r, op, op.CPU, op.NIC)
			for _, d := range g.Dependents(id) {
				fmt.Fprintf(&b, "  %d %s\n", d.ID()-span.First, d.Dep())
			}
		}
	}
	return b.String()
}

func TestWriteAndReadBack(t *testing.T) {
	rng := testkit.Rand(t)
	for range 50 {
		g := graphtest.Random(rng,
			graphtest.Shape{Ranks: 4, Messages: 30, Size: 1000, Calc: 1000, CPUs: 3, NICs: 2, Anyone: rng.IntN(2) == 0})
		var b bytes.Buffer
		require.NoError(t, Write(&b, g))
		assert.Equal(t, dump(g), dump(read(t, b.String())))
	}
}

// Nonblocking calls become what GOAL has.
func TestWriteNonblocking(t *testing.T) {
	b := graph.NewBuilder(2)
	c := b.Calls(0)
	q := c.Isend(8, 1)
	c.Calc(5)
	c.Wait(q)
	c = b.Calls(1)
	c.Wait(c.Irecv(8, 0))
	g, err := b.Graph()
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, Write(&out, g))
	assert.Equal(t, `num_ranks 2

rank 0 {
l0: send 8b to 1 tag 0
l1: calc 5
l2: calc 0
l1 irequires l0
l2 requires l0
l2 requires l1
}

rank 1 {
l0: recv 8b from 0 tag 0
l1: calc 0
l1 irequires l0
l1 requires l0
}
`, out.String())
	assert.ErrorContains(t, Write(brokenWriter{}, g), "goal: write: ")
}

// Tags of any length are the same for the send and the receive, and not those of other messages.
func TestLongTags(t *testing.T) {
	g, err := Read(strings.NewReader("num_ranks 2\nrank 0 {\nsend 1b to 1 tag 3000010100\n"+
		"send 2b to 1 tag 3000010101\nsend 3b to 1 tag 0000000101\n}\nrank 1 {\nrecv 2b from 0 tag 3000010101\n"+
		"recv 1b from 0 tag 3000010100\nrecv 3b from 0 tag 101\n}\n"), "x")
	require.NoError(t, err)
	var tags []int32
	for id := range graph.ID(g.Len()) {
		tags = append(tags, g.Op(id).Tag)
	}
	assert.Equal(t, []int32{1 << 30, 1<<30 + 1, 101, 1<<30 + 1, 1 << 30, 101}, tags)
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// What can be read can be written and read again, and comes back the same.
func FuzzRead(f *testing.F) {
	f.Add([]byte(everything))
	f.Add([]byte("num_ranks 1\nrank 0 {\na: calc 1\nb: calc 2\nb requires a\na irequires b\n}"))
	f.Add([]byte("num_ranks 2 rank 1 { recv 5b from -1 tag -1 cpu 3 nic 4 } /**/ rank 0 {} // x"))
	f.Add([]byte("num_ranks 4000000"))
	f.Fuzz(func(t *testing.T, text []byte) {
		g, err := Read(bytes.NewReader(text), "x")
		if err != nil {
			require.Nil(t, g)
			require.Contains(t, err.Error(), "goal: x:")
			return
		}
		if g.Ranks() > 1000 {
			return
		}
		var b bytes.Buffer
		require.NoError(t, Write(&b, g))
		require.Equal(t, dump(g), dump(read(t, b.String())))
	})
}

func BenchmarkRead(b *testing.B) {
	rng := testkit.Rand(b)
	g := graphtest.Random(rng, graphtest.Shape{Ranks: 64, Messages: 50_000, Size: 1000, Calc: 1000})
	var text bytes.Buffer
	require.NoError(b, Write(&text, g))
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		_, err := Read(bytes.NewReader(text.Bytes()), "x")
		require.NoError(b, err)
	}
}
