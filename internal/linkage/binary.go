package linkage

import (
	"bytes"
	"cmp"
	"debug/elf"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gopvas/gopvas/internal/sys"
)

// kernelReads is how much of a script's first line the kernel reads.
const kernelReads = 256

// StartedBy returns what the kernel starts a program by: the interpreter of a script, the dynamic linker of a binary;
// "" if it names none.
func StartedBy(path string) string {
	if words := interpreter(path); len(words) > 0 {
		return words[0]
	}
	b, _ := readBinary(path) // an error: the kernel will say
	return b.linker
}

// interpreter returns the program behind the "#!" of a script and its argument, or nothing if the file is no script.
func interpreter(path string) []string {
	f, err := sys.OpenRegular(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	line := make([]byte, kernelReads)
	n, _ := f.ReadAt(line, 0) // an error: the file is shorter
	text, is := bytes.CutPrefix(line[:n], []byte("#!"))
	if !is {
		return nil
	}
	first, _, _ := bytes.Cut(text, []byte("\n"))
	return strings.Fields(string(first))
}

// code returns the file that the kernel executes for a program: of scripts it is their interpreter, also if env is to
// find that.
func code(path string) string {
	const mostScripts = 4 // that start one another, as the kernel has it
	for range mostScripts {
		words := interpreter(path)
		if len(words) == 0 {
			return path
		}
		path = words[0]
		if filepath.Base(path) == "env" {
			path = cmp.Or(foundByEnv(words[1:]), path)
		}
	}
	return path
}

// foundByEnv returns the program that env starts with these arguments, "" if there is none.
func foundByEnv(args []string) string {
	for _, a := range args {
		if strings.HasPrefix(a, "-") || strings.Contains(a, "=") {
			continue
		}
		if found, err := exec.LookPath(a); err == nil {
			return found
		}
		break
	}
	return ""
}

// A binary is what an ELF file says of its libraries.
type binary struct {
	file   string
	linker string // PT_INTERP
	needed []string
}

// readBinary reads a file; an error says that it is no ELF file.
func readBinary(file string) (b binary, err error) {
	open, err := sys.OpenRegular(file)
	if err != nil {
		return b, fmt.Errorf("linkage: %w", err)
	}
	defer open.Close()
	f, err := elf.NewFile(loaded{open})
	if err != nil {
		return b, fmt.Errorf("linkage: %w", err)
	}
	b.file, b.needed = file, needed(f)
	for _, part := range f.Progs {
		if part.Type == elf.PT_INTERP {
			b.linker = text(part, 0)
		}
	}
	return b, nil
}

// plain are the libraries that ask for no MPI, which most programs have no others than.
var plain = []string{
	"libc", "libm", "libpthread", "libdl", "librt", "libgcc_s", "libstdc++", "libgfortran", "libquadmath", "libgomp",
	"libmpi_abi",
}

// mayAsk tells whether a library that the program names could ask for an MPI.
func (b *binary) mayAsk() bool {
	return slices.ContainsFunc(b.needed, func(name string) bool {
		base, _, _ := strings.Cut(name, ".so")
		return !slices.Contains(plain, base) && !strings.HasPrefix(base, "ld-")
	})
}

// names tells whether the file names a library that begins so.
func (b *binary) names(prefix string) bool {
	return slices.ContainsFunc(b.needed, func(name string) bool { return strings.HasPrefix(name, prefix) })
}
