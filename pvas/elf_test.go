package pvas

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A sample builds small ELF files field by field, valid unless changed.
type sample struct {
	machine
	header elf.Header64
	progs  []elf.Prog64
	body   []byte // at the offset and address of one page
}

// with4K is this machine, with the pages that the numbers of most tests are for.
func with4K() machine {
	m := here
	m.page = leastPage
	return m
}

func newSample() *sample { return newSampleFor(with4K()) }

func newSampleFor(m machine) *sample {
	page := m.page
	s := &sample{machine: m, body: make([]byte, 2*page)}
	copy(s.header.Ident[:], elf.ELFMAG)
	s.header.Ident[elf.EI_CLASS] = byte(elf.ELFCLASS64)
	s.header.Ident[elf.EI_DATA] = byte(elf.ELFDATA2LSB)
	s.header.Type, s.header.Machine = uint16(elf.ET_DYN), uint16(m.elf)
	s.header.Phoff, s.header.Phentsize = 64, 56
	s.header.Entry = page
	s.progs = []elf.Prog64{
		{Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R), Off: 0, Vaddr: 0, Filesz: 0x800,
			Memsz: 0x800, Align: page},
		{Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R | elf.PF_X), Off: page, Vaddr: page, Filesz: page,
			Memsz: page, Align: page},
		{Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R | elf.PF_W), Off: 2 * page, Vaddr: 2 * page, Filesz: page,
			Memsz: 5 * page, Align: page},
	}
	return s
}

// data is what lies at an offset in the writable segment.
func (s *sample) data(off uint64) []byte { return s.body[s.page+off:] }

func (s *sample) put(off uint64, v any) {
	if _, err := binary.Encode(s.data(off), binary.LittleEndian, v); err != nil {
		panic(err)
	}
}

// goPIE adds what makes a sample look like a Go PIE with one relocation.
func (s *sample) goPIE() *sample {
	const interp, note, dynamic, rela, relr, word = 0x100, 0x200, 0x300, 0x400, 0x500, 0x800
	at := 2 * s.page
	copy(s.data(interp), "/lib64/ld-linux-x86-64.so.2\x00")
	copy(s.data(note), "\x04\x00\x00\x00\x04\x00\x00\x00\x04\x00\x00\x00Go\x00\x00abcd")
	s.put(dynamic, []elf.Dyn64{{Tag: int64(elf.DT_RELA), Val: at + rela}, {Tag: int64(elf.DT_RELASZ), Val: 24},
		{Tag: int64(dtRelr), Val: at + relr}, {Tag: int64(dtRelrSize), Val: 0}, {Tag: int64(elf.DT_NULL)}})
	s.put(rela, elf.Rela64{Off: at + word, Info: uint64(s.relative), Addend: 0x1234})
	s.progs = append(s.progs,
		elf.Prog64{Type: uint32(elf.PT_INTERP), Off: at + interp, Vaddr: at + interp, Filesz: 28, Memsz: 28},
		elf.Prog64{Type: uint32(elf.PT_NOTE), Off: at + note, Vaddr: at + note, Filesz: 20, Memsz: 20},
		elf.Prog64{Type: uint32(elf.PT_DYNAMIC), Off: at + dynamic, Vaddr: at + dynamic, Filesz: 80, Memsz: 80},
	)
	return s
}

// pack adds packed relocations to a goPIE.
func (s *sample) pack(table ...uint64) *sample {
	s.put(0x500, table)
	s.dynamic(3, uint64(8*len(table)))
	return s
}

func (s *sample) bytes() []byte {
	s.header.Phnum = uint16(len(s.progs))
	var b bytes.Buffer
	for _, v := range []any{s.header, s.progs} {
		if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
			panic(err)
		}
	}
	head := make([]byte, s.page)
	copy(head, b.Bytes())
	return append(head, s.body...)
}

func planBytes(m machine, b []byte) (*image, error) { return m.plan(bytes.NewReader(b), int64(len(b))) }

// kinds are all machines with all sizes of pages.
func kinds() (list []machine) {
	for _, arch := range slices.Sorted(maps.Keys(machines)) {
		for _, page := range []uint64{4 << 10, 16 << 10, 64 << 10} {
			m := machines[arch]
			m.page = page
			list = append(list, m)
		}
	}
	return list
}

func TestPlanOfSample(t *testing.T) {
	for _, m := range kinds() {
		at := 2 * m.page
		s := newSampleFor(m).goPIE().pack(at+0x900, 0b1011, at+0xa00)
		img, err := planBytes(m, s.bytes())
		require.NoError(t, err)
		require.True(t, img.direct)
		require.Equal(t, []reloc{{at + 0x800, 0x1234}}, img.relocs)
		require.Equal(t, []uint64{at + 0x900, at + 0x908, at + 0x918, at + 0xa00}, words(img.packed))
		require.Equal(t, "/lib64/ld-linux-x86-64.so.2", img.interp)
		require.Equal(t, uint64(0), img.lo)
		require.Equal(t, 7*m.page, img.hi)
		require.Equal(t, m.page, img.align)
		require.Equal(t, uint64(64), img.phdr)
		require.Len(t, img.segments, 3)
	}
}

// A program whose segments lie closer together than the pages of this machine is refused, and the reason says what
// to do.
func TestPlanRefusesSmallerPages(t *testing.T) {
	for _, m := range kinds()[1:] {
		if m.page == leastPage {
			continue
		}
		s := newSampleFor(m)
		s.page = leastPage
		small := newSampleFor(s.machine)
		for _, b := range [][]byte{small.bytes(), small.goPIE().bytes()} {
			img, err := planBytes(m, b)
			require.ErrorIs(t, err, ErrMachine)
			require.ErrorContains(t, err, "max-page-size=65536")
			require.Nil(t, img)
		}
	}
}

func TestPlanOfRealPrograms(t *testing.T) {
	for path, direct := range map[string]bool{goProgram(): true, "/bin/cat": false} {
		f, img, err := openImage(path)
		require.NoError(t, err)
		require.NoError(t, f.Close())
		require.Equal(t, direct, img.direct, path)
		require.NotEmpty(t, img.interp)
	}
}

func TestPlanRefusesBadFiles(t *testing.T) {
	for name, c := range map[string]struct {
		want   error
		change func(s *sample)
	}{
		"magic": {ErrNotELF, func(s *sample) { s.header.Ident[1] = 'X' }},
		"32 bit": {ErrMachine, func(s *sample) {
			s.header.Ident[elf.EI_CLASS] = byte(elf.ELFCLASS32)
		}},
		"big endian": {ErrMachine, func(s *sample) {
			s.header.Ident[elf.EI_DATA] = byte(elf.ELFDATA2MSB)
		}},
		"other machine":      {ErrMachine, func(s *sample) { s.header.Machine = uint16(elf.EM_RISCV) }},
		"not PIE":            {ErrNotPIE, func(s *sample) { s.header.Type = uint16(elf.ET_EXEC) }},
		"object file":        {ErrNotELF, func(s *sample) { s.header.Type = uint16(elf.ET_REL) }},
		"core file":          {ErrNotELF, func(s *sample) { s.header.Type = uint16(elf.ET_CORE) }},
		"header size":        {ErrMalformed, func(s *sample) { s.header.Phentsize = 32 }},
		"headers outside":    {ErrMalformed, func(s *sample) { s.header.Phoff = 1 << 40 }},
		"headers wrap":       {ErrMalformed, func(s *sample) { s.header.Phoff = ^uint64(0) - 10 }},
		"headers not loaded": {ErrMalformed, func(s *sample) { s.progs[0].Type = uint32(elf.PT_NULL) }},
		"nothing to load": {ErrMalformed,
			func(s *sample) { s.progs = s.progs[:0]; s.progs = append(s.progs, elf.Prog64{}) }},
		"overlap":                  {ErrMalformed, func(s *sample) { s.progs[1].Memsz = 0x1001 }},
		"overlap within a page":    {ErrMalformed, func(s *sample) { s.progs[0].Memsz = 0x1001 }},
		"descending":               {ErrMalformed, func(s *sample) { s.progs[1], s.progs[2] = s.progs[2], s.progs[1] }},
		"file larger than memory":  {ErrMalformed, func(s *sample) { s.progs[2].Memsz = 1 }},
		"address overflow":         {ErrMalformed, func(s *sample) { s.progs[2].Vaddr = ^uint64(0xfff) }},
		"memory overflow":          {ErrMalformed, func(s *sample) { s.progs[2].Memsz = ^uint64(0) }},
		"absurd memory":            {ErrMalformed, func(s *sample) { s.progs[2].Memsz = 1 << 45 }},
		"absurd span":              {ErrMalformed, func(s *sample) { s.progs[2].Vaddr = 1 << 45 }},
		"offset overflow":          {ErrMalformed, func(s *sample) { s.progs[2].Off = ^uint64(0xfff) }},
		"truncated segment":        {ErrMalformed, func(s *sample) { s.body = s.body[:0x1800] }},
		"misaligned":               {ErrMalformed, func(s *sample) { s.progs[2].Off = 0x2008 }},
		"alignment":                {ErrMalformed, func(s *sample) { s.progs[2].Align = 3 << 12 }},
		"absurd alignment":         {ErrMalformed, func(s *sample) { s.progs[2].Align = 1 << 40 }},
		"entry outside":            {ErrMalformed, func(s *sample) { s.header.Entry = 0x9000 }},
		"entry in data":            {ErrMalformed, func(s *sample) { s.header.Entry = 0x2000 }},
		"interpreter outside":      {ErrMalformed, func(s *sample) { s.goPIE().progs[3].Off = 1 << 40 }},
		"interpreter absurd":       {ErrMalformed, func(s *sample) { s.goPIE().progs[3].Filesz = 1 << 40 }},
		"interpreter unterminated": {ErrMalformed, func(s *sample) { s.goPIE().progs[3].Filesz = 27 }},
		"interpreter relative":     {ErrMalformed, func(s *sample) { s.goPIE().body[0x1100] = 'x' }},
		"interpreter empty":        {ErrMalformed, func(s *sample) { s.goPIE().progs[3].Filesz = 0 }},
		"dynamic outside":          {ErrMalformed, func(s *sample) { s.goPIE().progs[5].Off = 1 << 40 }},
		"dynamic endless":          {ErrMalformed, func(s *sample) { s.goPIE().progs[5].Filesz = 32 }},
		"relocations outside":      {ErrMalformed, func(s *sample) { s.goPIE().dynamic(0, 1<<40) }},
		"relocations wrap":         {ErrMalformed, func(s *sample) { s.goPIE().dynamic(0, ^uint64(0)-8) }},
		"relocation size":          {ErrMalformed, func(s *sample) { s.goPIE().dynamic(1, 25) }},
		"relocations absurd":       {ErrMalformed, func(s *sample) { s.goPIE().dynamic(1, 24<<40) }},
		"packed outside":           {ErrMalformed, func(s *sample) { s.goPIE().pack(0x2800).dynamic(2, 1<<40) }},
		"packed wraps":             {ErrMalformed, func(s *sample) { s.goPIE().pack(0x2800).dynamic(2, ^uint64(7)) }},
		"packed size":              {ErrMalformed, func(s *sample) { s.goPIE().pack(0x2800).dynamic(3, 12) }},
		"packed absurd":            {ErrMalformed, func(s *sample) { s.goPIE().pack(0x2800).dynamic(3, 8<<40) }},
		"packed map first":         {ErrMalformed, func(s *sample) { s.goPIE().pack(3) }},
		"packed in text":           {ErrMalformed, func(s *sample) { s.goPIE().pack(0x1000) }},
		"packed map to text":       {ErrMalformed, func(s *sample) { s.goPIE().pack(0x6ff8, 3) }},
		"packed word wraps":        {ErrMalformed, func(s *sample) { s.goPIE().pack(^uint64(7), 3) }},
		"relocation of text": {ErrMalformed,
			func(s *sample) { binary.LittleEndian.PutUint64(s.goPIE().body[0x1400:], 0x1000) }},
		"relocation wraps": {ErrMalformed, func(s *sample) {
			binary.LittleEndian.PutUint64(s.goPIE().body[0x1400:], ^uint64(3))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSample()
			c.change(s)
			img, err := planBytes(s.machine, s.bytes())
			require.ErrorIs(t, err, c.want)
			require.Nil(t, img)
		})
	}
}

// dynamic changes the value of the i-th entry of PT_DYNAMIC.
func (s *sample) dynamic(i int, value uint64) {
	binary.LittleEndian.PutUint64(s.data(0x300+16*uint64(i)+8), value)
}

// A relocation that is not relative is no error: it is left to ld.so.
func TestOtherRelocationsNeedALinker(t *testing.T) {
	s := newSample().goPIE()
	binary.LittleEndian.PutUint64(s.body[0x1408:], uint64(s.relative)+1)
	img, err := planBytes(s.machine, s.bytes())
	require.NoError(t, err)
	require.False(t, img.direct)
}

func TestCheckNamesTheReason(t *testing.T) {
	dir := t.TempDir()
	file := func(name string, mode fs.FileMode, content []byte) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, content, 0o600))
		require.NoError(t, os.Chmod(path, mode))
		return path
	}
	good := newSampleFor(here).bytes()
	fifo := filepath.Join(dir, "fifo")
	require.NoError(t, syscall.Mkfifo(fifo, 0o755))
	for path, want := range map[string]error{
		file("good", 0o755, good):                    nil,
		file("plain", 0o644, good):                   ErrNotExecutable,
		file("setuid", 0o755|fs.ModeSetuid, good):    ErrSetuid,
		file("script", 0o755, []byte("#!/bin/sh\n")): ErrNotELF,
		file("empty", 0o755, nil):                    ErrNotELF,
		file("short", 0o755, good[:100]):             ErrMalformed,
		fifo:                                         ErrNotExecutable,
		dir:                                          ErrNotExecutable,
		"/dev/null":                                  ErrNotExecutable,
		filepath.Join(dir, "missing"):                fs.ErrNotExist,
		filepath.Join(dir, "good", "x"):              syscall.ENOTDIR,
	} {
		err := Check(path)
		if want == nil {
			require.NoError(t, err, path)
			continue
		}
		var image *ImageError
		require.ErrorAs(t, err, &image, path)
		require.Equal(t, path, image.Path)
		require.ErrorIs(t, err, want, path)
	}
}

func TestNonPIEAndSanitizerBuildsAreRefused(t *testing.T) {
	plain := filepath.Join(t.TempDir(), "plain")
	out, err := exec.Command("go", "build", "-buildmode=exe", "-o", plain, "./testdata/prog").CombinedOutput()
	require.NoError(t, err, "%s", out)
	err = Check(plain)
	require.ErrorIs(t, err, ErrNotPIE)
	require.ErrorContains(t, err, "-buildmode=pie")
	require.ErrorContains(t, err, "--btl sm")
	for _, flag := range []string{"-fsanitize=address", "-fsanitize=thread"} {
		require.ErrorIs(t, Check(cProgram(t, "fork.c", "-fPIE", "-pie", flag)), ErrSanitizer, flag)
	}
}

// Whatever the bytes are: an image or an error, no panic, and an image whose
// parts lie where they may.
func FuzzPlanImage(f *testing.F) {
	// The fuzzer changes the headers and the dynamic section, not the padding
	// between them, and cuts the file off anywhere.
	const dynamicAt = 0x100 // in the writable segment
	for i, m := range kinds() {
		at := 2 * m.page
		for _, s := range []*sample{newSampleFor(m), newSampleFor(m).goPIE().pack(at+0x900, 0b1011)} {
			b := s.bytes()
			f.Add(b[:0x200], b[at+dynamicAt:at+dynamicAt+0x500], uint32(len(b)), uint8(i))
		}
	}
	f.Fuzz(func(t *testing.T, head, dynamic []byte, size uint32, kind uint8) {
		m := kinds()[int(kind)%len(kinds())]
		b := make([]byte, 3*m.page)
		copy(b, head)
		copy(b[2*m.page+dynamicAt:], dynamic)
		b = b[:min(int(size), len(b))]
		img, err := planBytes(m, b)
		if err != nil {
			require.Nil(t, img)
			return
		}
		end := img.lo
		for _, s := range img.segments {
			require.GreaterOrEqual(t, m.pageDown(s.addr), end)
			require.LessOrEqual(t, uint64(s.offset)+s.fileSize, uint64(len(b)))
			require.LessOrEqual(t, s.fileSize, s.memSize)
			require.Equal(t, uint64(s.offset)%m.page, s.addr%m.page)
			end = m.pageUp(s.end())
		}
		require.Equal(t, end, img.hi)
		for _, r := range img.relocs {
			require.True(t, (span{img.lo, img.hi}).holds(r.offset, 8))
		}
		for _, offset := range words(img.packed) {
			require.True(t, (span{img.lo, img.hi}).holds(offset, 8))
		}
		_, err = lay(0, 1<<40, 1<<36, program{img: img}, extents{stack: usual})
		if err != nil {
			require.ErrorIs(t, err, ErrTooSmall)
		}
	})
}
