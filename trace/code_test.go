package trace

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
)

// decoded reads the records of a table.
func decoded(list []Raw) *Rank {
	var r Rank
	d := decoder{rank: &r, events: &r.Events}
	for _, raw := range list {
		d.add(raw.append(nil))
	}
	return &r
}

func TestNameCode(t *testing.T) {
	for _, c := range []Code{
		{Path: "/bin/a", BuildID: "0123abcd", Offset: 0x1234},
		{Path: "/a path/with spaces", Offset: 1<<64 - 1},
	} {
		r := decoded(NameCode(1, c))
		require.Equal(t, map[int]Code{1: c}, r.Code)
		require.Equal(t, []string{"", c.String()}, r.Sites)
	}
	require.Equal(t, "a+0x1234", Code{Path: "/bin/a", Offset: 0x1234}.String())
	for _, bad := range []string{"", "1", "1 2", "1 2 ", "x 2 /a"} {
		_, ok := parseCode(bad)
		require.False(t, ok, bad)
	}
}

// note is a note as linkers write it.
func note(name string, kind uint32, content []byte) []byte {
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(name)))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(content)))
	b = append(binary.LittleEndian.AppendUint32(b, kind), name...)
	b = append(b, make([]byte, -len(name)&3)...)
	return append(append(b, content...), make([]byte, -len(content)&3)...)
}

// program is a file with a segment of notes.
func program(notes []byte) []byte {
	b := make([]byte, elfHeader+elfSegment)
	copy(b, "\x7fELF\x02\x01")
	b[32], b[56] = elfHeader, 1
	binary.LittleEndian.PutUint32(b[elfHeader:], segmentNotes)
	binary.LittleEndian.PutUint64(b[elfHeader+8:], uint64(len(b)))
	binary.LittleEndian.PutUint64(b[elfHeader+32:], uint64(len(notes)))
	return append(b, notes...)
}

func TestBuildID(t *testing.T) {
	other, id := note("other", 3, []byte{9}), note("GNU\x00", noteBuildID, []byte{1, 2, 0xab})
	require.Equal(t, "0102ab", BuildID(bytes.NewReader(program(append(other, id...)))))
	require.Empty(t, BuildID(bytes.NewReader(program(other))))
	require.Empty(t, BuildID(bytes.NewReader([]byte("text"))))
	whole := program(id)
	for n := range len(whole) - 1 { // the last byte is padding
		require.Empty(t, BuildID(bytes.NewReader(whole[:n])), n)
	}
}

func FuzzBuildID(f *testing.F) {
	f.Add(program(note("GNU\x00", noteBuildID, []byte{1, 2, 0xab})))
	f.Fuzz(func(t *testing.T, content []byte) { BuildID(bytes.NewReader(content)) })
}
