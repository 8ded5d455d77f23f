package trace

import (
	"bytes"
	"encoding/binary"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sample is a file with events of every form, and its bytes.
func sample(t testing.TB) []byte {
	var file bytes.Buffer
	w, err := NewWriter(&file,
		Meta{Ranks: 2, BTL: "pvas", CPUs: 2, TickNS: 0.5, EagerLimit: 4096, Algorithms: []string{"", "flat"}})
	require.NoError(t, err)
	require.NoError(t, w.Clock(0, 1000, 100*time.Nanosecond))
	require.NoError(t,
		w.Events(0, 0, records(NameContext(1, 8, "a name that takes more than one record of thirty-two bytes")...)))
	long, wideLong := Raw{Kind: Recv, Ticks: 5000, Took: 7, Bytes: 9, Context: 1, Number: 1, Peer: 1,
		Flags: By(Rendezvous) | AnyTag, Tag: 3}, Wide(3<<32, 2<<32)
	require.NoError(t, w.Events(0, 0,
		records(Raw{Kind: Send, Ticks: 3000, Took: 1000, Bytes: 8, Context: 1, Tag: -1, Peer: 1,
			Number: 1, Flags: By(Eager)}),
		records(wideLong, long, Raw{Kind: Sent, Ticks: 9000, Took: 77, Number: 2, Peer: 1})))
	require.NoError(t,
		w.Events(1, 0, records(Raw{Kind: Lost, Ticks: 1, Bytes: 12}, Raw{Kind: WaitAny, Flags: NoPeer, Number: 5})))
	require.NoError(t, w.Events(1, 1, records(Raw{Kind: Node, Ticks: 2000, Took: 10, Number: 7})))
	require.NoError(t, w.Clock(0, 3001000, 3000100*time.Nanosecond))
	require.NoError(t, w.End(End{Seconds: 3}))
	return file.Bytes()
}

// append writes a record behind b.
func (r *Raw) append(b []byte) []byte {
	for _, w := range r.Pack() {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return b
}

func records(list ...Raw) (b []byte) {
	for i := range list {
		b = list[i].append(b)
	}
	return b
}

func TestRead(t *testing.T) {
	tr, err := Read(bytes.NewReader(sample(t)))
	require.NoError(t, err)
	require.NoError(t, tr.Cut)
	assert.EqualValues(t, 3, tr.End.Seconds)
	assert.EqualValues(t, 10, tr.End.Events)
	assert.Equal(t, []Context{{}, {8, "a name that takes more than one record of thirty-two bytes"}},
		tr.Ranks[0].Contexts)
	assert.Equal(t, []Event{
		// One tick takes a ns, by the two clocks.
		{Start: 2100, End: 3100, Bytes: 8, Context: 8, Tag: -1, Peer: 1, Message: 1, Flags: By(Eager), Kind: Send},
		{Start: 4100, End: 4107 + 3<<32, Bytes: 9 + 2<<32, Context: 8, Tag: 3, Peer: 1, Message: 1,
			Flags: By(Rendezvous) | AnyTag, Kind: Recv},
		{Start: 8100, End: 8100, Peer: 1, Message: 2, Request: 77, Kind: Sent},
	}, tr.Ranks[0].Events)
	assert.EqualValues(t, 12, tr.Lost())
	assert.Equal(t, []Event{{Start: 1100, End: 1110, Message: 7, Kind: Node}}, tr.Ranks[1].Nodes)
	assert.EqualValues(t, 5, tr.Ranks[1].Events[1].Request)
	assert.EqualValues(t, Any, tr.Ranks[1].Events[1].Peer)
}

// TestCut reads files that end too early, at every byte.
func TestCut(t *testing.T) {
	file := sample(t)
	whole, err := Read(bytes.NewReader(file))
	require.NoError(t, err)
	most := 0
	begin, next := 0, fileHeader // of the block that is cut
	for n := range file {
		if n == next {
			begin, next = n, n+blockHeader+int(parseHeader(file[n:]).length)
		}
		tr, err := Read(bytes.NewReader(file[:n]))
		if err != nil {
			assert.Nil(t, tr)
			continue
		}
		var cut *CutError
		require.ErrorAs(t, tr.Cut, &cut, "%d bytes", n)
		require.EqualValues(t, begin, cut.Offset, "%d bytes", n)
		require.Nil(t, tr.End)
		for rank, r := range tr.Ranks {
			require.LessOrEqual(t, len(r.Events), len(whole.Ranks[rank].Events))
			most = max(most, len(r.Events))
		}
	}
	assert.Equal(t, len(whole.Ranks[0].Events), most)
}

// TestDamage changes every byte: what stands before the damage can be read.
func TestDamage(t *testing.T) {
	file := sample(t)
	for i := range file {
		bad := bytes.Clone(file)
		bad[i] ^= 0x40
		tr, err := Read(bytes.NewReader(bad))
		if err == nil && i < 12 {
			t.Errorf("byte %d of the magic or version was changed: no error", i)
		}
		if err == nil && i >= fileHeader && tr.Cut == nil {
			t.Errorf("byte %d was changed: no error", i)
		}
	}
}

func TestVersion(t *testing.T) {
	file := sample(t)
	file[8] = 9
	_, err := Read(bytes.NewReader(file))
	var wrong *VersionError
	require.ErrorAs(t, err, &wrong)
	assert.EqualValues(t, 9, wrong.Have)
}

func TestPack(t *testing.T) {
	r := Raw{Ticks: 1<<56 - 1, Took: 1<<32 - 1, Bytes: 1<<32 - 2, Tag: -2147483648, Number: 1<<32 - 3, Context: 65535,
		Site: 65534, Peer: 65533, Flags: 65532, Kind: 200}
	var got Raw
	got.unpack(r.append(nil))
	assert.Equal(t, r, got)
}

func FuzzRead(f *testing.F) {
	f.Add(sample(f))
	f.Fuzz(func(t *testing.T, file []byte) {
		tr, err := Read(bytes.NewReader(file))
		if (tr == nil) == (err == nil) {
			t.Fatal("want a trace or an error")
		}
		if err == nil && (tr.Cut == nil) == (tr.End == nil) {
			t.Fatal("want an end or the reason why there is none")
		}
		if err == nil && len(tr.Ranks) < 8 {
			sameOnDisk(t, tr, file)
		}
	})
}
