package pvas

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/internal/test/testkit"
)

// words are the addresses in a table of packed relocations.
func words(t packed) (list []uint64) {
	t.each(func(offset uint64) bool { list = append(list, offset); return true })
	return list
}

// packOf makes the table of ascending addresses, as a linker does.
func packOf(list []uint64) (table packed) {
	for len(list) > 0 {
		table = append(table, list[0])
		next := list[0] + 8
		for list = list[1:]; len(list) > 0 && list[0] < next+63*8; next += 63 * 8 {
			bits := uint64(1)
			for ; len(list) > 0 && list[0] < next+63*8; list = list[1:] {
				bits |= 1 << (1 + (list[0]-next)/8)
			}
			table = append(table, bits)
		}
	}
	return table
}

// What has been packed comes out, whether words lie close together or not.
func TestPackedWords(t *testing.T) {
	random := testkit.Rand(t)
	for range 200 {
		var list []uint64
		at := uint64(0x1000)
		for range random.IntN(300) {
			list = append(list, at)
			at += 8 * (1 + uint64(random.IntN(1+random.IntN(1000))))
		}
		require.Equal(t, list, words(packOf(list)))
	}
}

// The loader adds the bias to each word of the table, and to no other.
func TestPackedWordsAreRelocated(t *testing.T) {
	const pages, lo = 4, 0x10000
	size := pages * here.page
	at, err := sys.Mmap(0, uintptr(size), sys.ProtRead|sys.ProtWrite, sys.MapPrivate|sys.MapAnonymous, -1, 0)
	require.NoError(t, err)
	defer func() { require.NoError(t, sys.Munmap(at, uintptr(size))) }()
	memory, want := bytesAt(uint64(at), size), make([]byte, size)
	bias := uint64(at) - lo
	var list []uint64
	random := testkit.Rand(t)
	for i := uint64(0); i < size; i += 8 {
		value, pick := random.Uint64(), random.IntN(3) == 0
		binary.LittleEndian.PutUint64(memory[i:], value)
		if pick {
			list, value = append(list, lo+i), value+bias
		}
		binary.LittleEndian.PutUint64(want[i:], value)
	}
	img := &image{machine: &here, lo: lo, hi: lo + size, packed: packOf(list)}
	relocate(img, bias)
	require.Equal(t, want, append([]byte(nil), memory...))
}

// repacked is the Go program of the tests with its relocations packed, as a linker may have done.
func repacked(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile(goProgram())
	require.NoError(t, err)
	img, err := here.plan(bytes.NewReader(b), int64(len(b)))
	require.NoError(t, err)
	require.NotEmpty(t, img.relocs)
	at := func(addr uint64) []byte {
		off, ok := img.fileOffset(addr, 8)
		require.True(t, ok)
		return b[off:]
	}
	var list []uint64
	for _, r := range img.relocs {
		binary.LittleEndian.PutUint64(at(r.offset), r.addend)
		list = append(list, r.offset)
	}
	slices.Sort(list)
	table := packOf(list)
	file, err := elf.NewFile(bytes.NewReader(b))
	require.NoError(t, err)
	for dynamic := b[file.Section(".dynamic").Offset:]; ; dynamic = dynamic[16:] {
		le := binary.LittleEndian
		switch elf.DynTag(le.Uint64(dynamic)) {
		case elf.DT_RELA:
			require.Less(t, len(table), 3*len(list))
			_, err := binary.Encode(at(le.Uint64(dynamic[8:])), le, []uint64(table))
			require.NoError(t, err)
			le.PutUint64(dynamic, uint64(dtRelr))
		case elf.DT_RELASZ:
			le.PutUint64(dynamic, uint64(dtRelrSize))
			le.PutUint64(dynamic[8:], uint64(8*len(table)))
		case elf.DT_NULL:
			path := filepath.Join(t.TempDir(), "packed")
			require.NoError(t, os.WriteFile(path, b, 0o700))
			return path
		}
	}
}

// A program whose relocations are packed runs, entered without a dynamic linker.
func TestPackedProgram(t *testing.T) {
	s := newSpace(t, 2)
	path := repacked(t)
	f, img, err := openImage(path)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	require.True(t, img.direct)
	require.Empty(t, img.relocs)
	require.NotEmpty(t, img.packed)
	for i := range 2 {
		out, status := output(t, s, i, TaskSpec{Path: path, Args: []string{"prog", "collect", "64"}})
		require.Equal(t, 0, status.ExitStatus(), out)
		require.Regexp(t, `^allocated true collections true\n$`, out)
	}
}

// Pages to relocate come in runs, whatever the order of the table. A word may lie in two of them.
func TestPagesToTake(t *testing.T) {
	const lo = 1 << 20
	at := func(page, offset uint64) reloc { return reloc{offset: lo + page*here.page + offset} }
	img := &image{machine: &here, lo: lo, hi: lo + 16*here.page,
		relocs: []reloc{at(9, 8), at(3, 0), at(3, 16), at(9, 0), at(1, 8), at(4, here.page-4), at(2, 0), at(12, 0)},
		packed: packOf([]uint64{lo + 7*here.page})}
	require.Equal(t, []span{{lo + here.page, lo + 6*here.page}, {lo + 7*here.page, lo + 8*here.page},
		{lo + 9*here.page, lo + 10*here.page}, {lo + 12*here.page, lo + 13*here.page}}, img.pagesToTake())
	require.Empty(t, (&image{}).pagesToTake())
}

// Pages of a Go program that have nothing to relocate stay those of its file, though it may write them.
func TestPagesWithoutRelocationsAreShared(t *testing.T) {
	s := newSpace(t, 1)
	prog, err := openProgram(goProgram())
	require.NoError(t, err)
	defer prog.close()
	l, err := s.lay(0, prog)
	require.NoError(t, err)
	require.NoError(t, load(l, prog))
	relocated := map[uint64]bool{}
	for _, r := range prog.img.relocs {
		relocated[here.pageDown(r.offset)] = true
	}
	pagemap, err := os.Open("/proc/self/pagemap")
	require.NoError(t, err)
	defer pagemap.Close()
	shared, sum := 0, byte(0)
	for _, seg := range prog.img.segments {
		if seg.flags&elf.PF_W == 0 {
			continue
		}
		for page := here.pageDown(seg.addr); page < here.pageDown(seg.addr+seg.fileSize); page += here.page {
			sum += bytesAt(page+l.Offset, 1)[0] // there is a page now
			entry := make([]byte, 8)
			_, err := pagemap.ReadAt(entry, int64((page+l.Offset)/here.page*8))
			require.NoError(t, err)
			const ofFile = 1 << 61
			own := binary.LittleEndian.Uint64(entry)&ofFile == 0
			require.Equal(t, relocated[page], own, "page %#x", page)
			if !own {
				shared++
			}
		}
	}
	require.Positive(t, shared, sum)
}
