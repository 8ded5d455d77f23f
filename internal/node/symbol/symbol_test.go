package symbol

import (
	"bytes"
	"debug/elf"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/trace"
)

// Programs in C are resolved in the tests of capi/programs.

func TestFunction(t *testing.T) {
	f := &file{
		segments: []elf.ProgHeader{{Off: 0, Vaddr: 0x400000, Filesz: 0x100},
			{Off: 0x1000, Vaddr: 0x501000, Filesz: 0x100}},
		functions: []elf.Symbol{{Name: "a", Value: 0x501010, Size: 0x10}, {Name: "b", Value: 0x501030}},
	}
	for offset, want := range map[uint64]string{
		0x1008: "", 0x1011: "a+0x1", 0x1020: "a+0x10", 0x1021: "", 0x1040: "b+0x10", 0x1100: "", 0x200: "",
		0x10: "", ^uint64(0): "",
	} {
		require.Equal(t, want, f.site(offset), "%#x", offset)
	}
}

// A trace whose files are gone, changed or no programs keeps names of files and offsets.
func TestWithoutFiles(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	text := filepath.Join(t.TempDir(), "text")
	require.NoError(t, os.WriteFile(text, []byte("no program"), 0o644))
	read := func(c trace.Code) *trace.Trace {
		return &trace.Trace{Ranks: []trace.Rank{{Sites: []string{"", c.String()}, Code: map[int]trace.Code{1: c}}, {}}}
	}
	t1 := read(trace.Code{Path: missing, Offset: 16})
	require.ErrorIs(t, Resolve(t1), fs.ErrNotExist)
	require.Equal(t, "missing+0x10", t1.Ranks[0].Sites[1])
	t2 := read(trace.Code{Path: text, BuildID: "12", Offset: 16})
	require.ErrorContains(t, Resolve(t2), "another build than the one that was recorded (none, and then 12)")
	t3 := read(trace.Code{Path: text, Offset: 16})
	require.ErrorContains(t, Resolve(t3), text)
	require.Equal(t, "text+0x10", t3.Ranks[0].Sites[1])
	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	require.ErrorContains(t, Resolve(read(trace.Code{Path: pipe, Offset: 16})), "pipe is no regular file")
	require.NoError(t, Resolve(&trace.Trace{Ranks: make([]trace.Rank, 2)}))
}

// Damaged files are errors, or have no names.
func FuzzOpen(f *testing.F) {
	self, err := os.ReadFile("/proc/self/exe")
	require.NoError(f, err)
	f.Add(self[:min(len(self), 4096)], uint64(100))
	f.Add([]byte("\x7fELF\x02\x01"), uint64(0))
	if _, err := exec.LookPath("gcc"); err == nil {
		program, err := os.ReadFile(compile(f, "gcc", "places.c", "-O2"))
		require.NoError(f, err)
		f.Add(program, uint64(0x1080))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, content []byte, offset uint64) {
		path := filepath.Join(dir, "file")
		_ = os.Remove(path) // a file that is cut to nothing and written anew is put on the disk at once by ext4
		require.NoError(t, os.WriteFile(path, content, 0o644))
		if s, err := open(build{path, trace.BuildID(bytes.NewReader(content))}); err == nil {
			s.site(offset)
			s.frames(offset)
		}
	})
}
