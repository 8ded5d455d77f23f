package pvas

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A sample builds small ELF files field by field, valid unless changed.
type sample struct {
	header elf.Header64
	progs  []elf.Prog64
	body   []byte // at offset 0x1000 and address 0x1000
}

func newSample() *sample {
	s := &sample{body: make([]byte, 0x2000)}
	copy(s.header.Ident[:], elf.ELFMAG)
	s.header.Ident[elf.EI_CLASS] = byte(elf.ELFCLASS64)
	s.header.Ident[elf.EI_DATA] = byte(elf.ELFDATA2LSB)
	s.header.Type, s.header.Machine = uint16(elf.ET_DYN), uint16(elf.EM_X86_64)
	s.header.Phoff, s.header.Phentsize = 64, 56
	s.header.Entry = 0x1000
	s.progs = []elf.Prog64{
		{Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R), Off: 0, Vaddr: 0, Filesz: 0x800,
			Memsz: 0x800, Align: 0x1000},
		{Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R | elf.PF_X), Off: 0x1000, Vaddr: 0x1000, Filesz: 0x1000,
			Memsz: 0x1000, Align: 0x1000},
		{Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R | elf.PF_W), Off: 0x2000, Vaddr: 0x2000, Filesz: 0x1000,
			Memsz: 0x5000, Align: 0x1000},
	}
	return s
}

// goPIE adds what makes a sample look like a Go PIE with one relocation.
func (s *sample) goPIE() *sample {
	at := func(off uint64) []byte { return s.body[off-0x1000:] }
	copy(at(0x2100), "/lib64/ld-linux-x86-64.so.2\x00")
	copy(at(0x2200), "\x04\x00\x00\x00\x04\x00\x00\x00\x04\x00\x00\x00Go\x00\x00abcd")
	dyn := []elf.Dyn64{{Tag: int64(elf.DT_RELA), Val: 0x2400}, {Tag: int64(elf.DT_RELASZ), Val: 24},
		{Tag: int64(elf.DT_NULL)}}
	rela := elf.Rela64{Off: 0x2800, Info: uint64(elf.R_X86_64_RELATIVE), Addend: 0x1234}
	for off, v := range map[uint64]any{0x2300: dyn, 0x2400: rela} {
		if _, err := binary.Encode(at(off), binary.LittleEndian, v); err != nil {
			panic(err)
		}
	}
	s.progs = append(s.progs,
		elf.Prog64{Type: uint32(elf.PT_INTERP), Off: 0x2100, Vaddr: 0x2100, Filesz: 28, Memsz: 28},
		elf.Prog64{Type: uint32(elf.PT_NOTE), Off: 0x2200, Vaddr: 0x2200, Filesz: 20, Memsz: 20},
		elf.Prog64{Type: uint32(elf.PT_DYNAMIC), Off: 0x2300, Vaddr: 0x2300, Filesz: 48, Memsz: 48},
	)
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
	head := make([]byte, 0x1000)
	copy(head, b.Bytes())
	return append(head, s.body...)
}

func planBytes(b []byte) (*image, error) { return planImage(bytes.NewReader(b), int64(len(b))) }

func TestPlanOfSample(t *testing.T) {
	img, err := planBytes(newSample().goPIE().bytes())
	require.NoError(t, err)
	require.True(t, img.direct)
	require.Equal(t, []reloc{{0x2800, 0x1234}}, img.relocs)
	require.Equal(t, "/lib64/ld-linux-x86-64.so.2", img.interp)
	require.Equal(t, uint64(0), img.lo)
	require.Equal(t, uint64(0x7000), img.hi)
	require.Equal(t, uint64(64), img.phdr)
	require.Len(t, img.segments, 3)
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
		"arm64":              {ErrMachine, func(s *sample) { s.header.Machine = uint16(elf.EM_AARCH64) }},
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
		"relocation of text": {ErrMalformed,
			func(s *sample) { binary.LittleEndian.PutUint64(s.goPIE().body[0x1400:], 0x1000) }},
		"relocation wraps": {ErrMalformed, func(s *sample) {
			binary.LittleEndian.PutUint64(s.goPIE().body[0x1400:], ^uint64(3))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSample()
			c.change(s)
			img, err := planBytes(s.bytes())
			require.ErrorIs(t, err, c.want)
			require.Nil(t, img)
		})
	}
}

// dynamic changes the value of the i-th entry of PT_DYNAMIC.
func (s *sample) dynamic(i int, value uint64) {
	binary.LittleEndian.PutUint64(s.body[0x1300+16*i+8:], value)
}

// A relocation that is not relative is no error: it is left to ld.so.
func TestOtherRelocationsNeedALinker(t *testing.T) {
	s := newSample().goPIE()
	binary.LittleEndian.PutUint64(s.body[0x1408:], uint64(elf.R_X86_64_GLOB_DAT))
	img, err := planBytes(s.bytes())
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
	good := newSample().bytes()
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
	const dynamicAt = 0x2100
	for _, s := range []*sample{newSample(), newSample().goPIE()} {
		b := s.bytes()
		f.Add(b[:0x200], b[dynamicAt:dynamicAt+0x400], uint16(len(b)))
	}
	f.Fuzz(func(t *testing.T, head, dynamic []byte, size uint16) {
		b := make([]byte, 0x3000)
		copy(b, head)
		copy(b[dynamicAt:], dynamic)
		b = b[:min(int(size), len(b))]
		img, err := planBytes(b)
		if err != nil {
			require.Nil(t, img)
			return
		}
		end := img.lo
		for _, s := range img.segments {
			require.GreaterOrEqual(t, pageDown(s.addr), end)
			require.LessOrEqual(t, uint64(s.offset)+s.fileSize, uint64(len(b)))
			require.LessOrEqual(t, s.fileSize, s.memSize)
			end = pageUp(s.end())
		}
		require.Equal(t, end, img.hi)
		for _, r := range img.relocs {
			require.True(t, (span{img.lo, img.hi}).holds(r.offset, 8))
		}
		_, err = lay(0, 1<<40, 1<<36, program{img: img}, extents{stack: usual})
		if err != nil {
			require.ErrorIs(t, err, ErrTooSmall)
		}
	})
}
