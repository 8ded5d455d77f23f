package symbol

import (
	"bytes"
	"debug/elf"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// compile builds a program of testdata, and skips the test where its compiler is not installed.
func compile(t testing.TB, compiler, source string, flags ...string) string {
	if _, err := exec.LookPath(compiler); err != nil {
		t.Skipf("no %s is installed", compiler)
	}
	program := filepath.Join(t.TempDir(), "program")
	args := append([]string{"-g", "-o", program, filepath.Join("testdata", source)}, flags...)
	if compiler == "gfortran" {
		args = append(args, "-J", filepath.Dir(program)) // modules
	}
	out, err := exec.Command(compiler, args...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return program
}

// marked replaces [in TEXT] by the number of the line of a source that ends with the comment in TEXT.
func marked(t *testing.T, source, places string) string {
	text, err := os.ReadFile(filepath.Join("testdata", source))
	require.NoError(t, err)
	return regexp.MustCompile(`\[in [^]]*\]`).ReplaceAllStringFunc(places, func(mark string) string {
		before, _, found := strings.Cut(string(text), " "+strings.Trim(mark, "[]"))
		require.True(t, found, mark)
		return fmt.Sprintf("%s:%d", source, 1+strings.Count(before, "\n"))
	})
}

// allFrames are the frames of all addresses of the functions of a file whose lines are known, by address.
func allFrames(f *file) map[uint64][]Place {
	all := map[uint64][]Place{}
	for _, s := range f.functions {
		for at := s.Value; at < s.Value+s.Size; at++ {
			if frames := f.frames(at); len(frames) > 0 && frames[0].Line > 0 {
				all[at] = frames
			}
		}
	}
	return all
}

// Functions and lines of programs: main at -O2, which is in a section of its own; C++ with a section for each template;
// Fortran with its own names of procedures.
func TestFrames(t *testing.T) {
	for _, c := range []struct {
		compiler, source string
		flags, places    []string // from the innermost function on
	}{
		{"gcc", "places.c", []string{"-O0"}, []string{
			"helper at [in helper] < solve at [in solve]", "main at [in main]"}},
		{"gcc", "places.c", []string{"-O2"}, []string{
			"helper at [in helper] < solve at [in solve]", "main at [in main]"}},
		{"gcc", "places.c", []string{"-O2", "-gdwarf-4", "-ffunction-sections"}, []string{
			"helper at [in helper] < solve at [in solve]", "main at [in main]"}},
		{"g++", "places.cc", []string{"-O0"}, []string{
			"sim::(anonymous namespace)::Grid<double>::exchange at [in exchange]",
			"sim::mean<double, int, char const*> at [in mean]", "main at [in main]",
			"main::{lambda(int)#1}::operator() at [in lambda]"}},
		{"g++", "places.cc", []string{"-O2"}, []string{
			"sim::(anonymous namespace)::Grid<double>::exchange at [in exchange]",
			"sim::mean<double, int, char const*> at [in mean]", "half at [in half] < main at [in main]",
			"main::{lambda(int)#1}::operator() at [in lambda]"}},
		{"gfortran", "places.f90", []string{"-O0"}, []string{"place::store at [in store]", "inner at [in inner]",
			"alone at [in alone]", "heat at [in heat]"}},
		{"gfortran", "places.f90", []string{"-O2", "-fno-inline"}, []string{"place::store at [in store]",
			"inner at [in inner]", "alone at [in alone]", "heat at [in heat]"}},
	} {
		t.Run(c.source+strings.Join(c.flags, ""), func(t *testing.T) {
			f, err := open(build{compile(t, c.compiler, c.source, c.flags...), anyBuild})
			require.NoError(t, err)
			found := map[string]bool{}
			for _, frames := range allFrames(f) {
				var names []string
				for _, frame := range frames {
					names = append(names, frame.String())
					found[strings.Join(names, " < ")] = true
				}
			}
			for _, want := range c.places {
				want = marked(t, c.source, want)
				require.True(t, found[want], want)
			}
		})
	}
}

// The lines of all addresses are those that binutils find.
func TestLinesOfBinutils(t *testing.T) {
	if _, err := exec.LookPath("addr2line"); err != nil {
		t.Skip("no addr2line is installed")
	}
	for compiler, source := range map[string]string{"gcc": "places.c", "g++": "places.cc", "gfortran": "places.f90"} {
		t.Run(source, func(t *testing.T) {
			program := compile(t, compiler, source, "-O2")
			f, err := open(build{program, anyBuild})
			require.NoError(t, err)
			all := allFrames(f)
			require.NotEmpty(t, all)
			var addresses bytes.Buffer
			for at := range all {
				fmt.Fprintf(&addresses, "%#x\n", at)
			}
			cmd := exec.Command("addr2line", "-a", "-i", "-s", "-e", program)
			cmd.Stdin = &addresses
			out, err := cmd.Output()
			require.NoError(t, err)
			for text := range strings.SplitSeq(strings.TrimPrefix(string(out), "0x"), "\n0x") {
				var at uint64
				_, err := fmt.Sscanf(text, "%x", &at)
				require.NoError(t, err, text)
				_, theirs, _ := strings.Cut(text, "\n")
				theirs = regexp.MustCompile(` \(discriminator \d+\)`).ReplaceAllString(theirs, "")
				var ours []string
				for _, frame := range all[at] {
					ours = append(ours, fmt.Sprintf("%s:%d", frame.File, frame.Line))
				}
				require.Equal(t, strings.TrimSpace(theirs), strings.Join(ours, "\n"), "%#x", at)
			}
		})
	}
}

// A trace names the call, and the function that it has become a part of.
func TestSite(t *testing.T) {
	f, err := open(build{compile(t, "gcc", "places.c", "-O2"), anyBuild})
	require.NoError(t, err)
	sites := ""
	for at := range allFrames(f) {
		for _, p := range f.segments {
			if at >= p.Vaddr && at < p.Vaddr+p.Filesz {
				sites += f.site(at+1-p.Vaddr+p.Off) + "\n"
			}
		}
	}
	require.Regexp(t, marked(t, "places.c", `(?m)^[in main] main\+0x[0-9a-f]+$`), sites)
	require.Regexp(t, marked(t, "places.c", `(?m)^[in helper] helper in solve\+0x[0-9a-f]+$`), sites)
}

// A file whose debugging information is damaged is read to an end.
func TestDamage(t *testing.T) {
	whole, err := os.ReadFile(compile(t, "gcc", "places.c", "-O2"))
	require.NoError(t, err)
	e, err := elf.NewFile(bytes.NewReader(whole))
	require.NoError(t, err)
	debug := e.Section(".debug_info")
	require.NotNil(t, debug)
	for seed := range int64(4000) {
		r, damaged := rand.New(rand.NewSource(seed)), bytes.Clone(whole)
		for range 1 + r.Intn(20) {
			damaged[int(debug.Offset)+r.Intn(len(whole)-int(debug.Offset))] = byte(r.Intn(256))
		}
		f, err := read(bytes.NewReader(damaged), "damaged")
		if err != nil {
			continue
		}
		for _, s := range f.functions {
			f.frames(s.Value)
		}
	}
}
