package linkage

import (
	"bytes"
	"cmp"
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gopvas/gopvas/internal/node/sys"
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

// interpreter returns the program behind the "#!" of a script and its argument, or nothing if the file is no script. As
// for the kernel only blanks and tabs divide them: a carriage return is a part of the last one.
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
	return strings.FieldsFunc(string(first), func(r rune) bool { return r == ' ' || r == '\t' })
}

// mostScripts is how many scripts start one another, as the kernel has it.
const mostScripts = 4

// Unscript returns what the kernel executes for a program with these arguments, and its arguments. Of a script it is
// the interpreter, which gets the script's path. If the command env is to find the interpreter, it is what that finds.
// What is behind the interpreter in the first line is one argument, in which several blanks are one.
func Unscript(path string, args, env []string) (string, []string) {
	for range mostScripts {
		words := interpreter(path)
		if len(words) == 0 {
			break
		}
		own := words[1:]
		args, path = append([]string{path}, args...), words[0]
		if len(own) == 1 && filepath.Base(path) == "env" {
			if found := foundByEnv(own, env); found != "" {
				path, own = found, nil
			}
		}
		if len(own) > 0 { // of the line, all that is behind the interpreter is one
			args = append([]string{strings.Join(own, " ")}, args...)
		}
	}
	return path, args
}

// code returns the file that the kernel executes for a program in an environment. Of scripts it is their interpreter,
// also if the command env is to find that.
func code(path string, env []string) string {
	for range mostScripts {
		words := interpreter(path)
		if len(words) == 0 {
			return path
		}
		path = words[0]
		if filepath.Base(path) == "env" {
			path = cmp.Or(foundByEnv(words[1:], env), path)
		}
	}
	return path
}

// foundByEnv returns the program that the command env starts with these arguments, "" if there is none.
func foundByEnv(args, env []string) string {
	at := slices.IndexFunc(args, func(a string) bool { return !strings.HasPrefix(a, "-") && !strings.Contains(a, "=") })
	if at < 0 {
		return ""
	}
	name := args[at]
	files := []string{name}
	if !strings.Contains(name, "/") {
		files = nil
		for _, dir := range filepath.SplitList(value(env, "PATH")) {
			files = append(files, cmp.Or(dir, ".")+"/"+name)
		}
	}
	for _, file := range files {
		if found, err := exec.LookPath(file); err == nil {
			return found
		}
	}
	return ""
}

// Check says why no kernel can execute a file. It is nil for a script, and for a binary that is as long as its headers
// say.
func Check(path string, env []string) error {
	open, err := sys.OpenRegular(code(path, env))
	if errors.Is(err, fs.ErrPermission) {
		return nil // who may not read it may execute it
	}
	if err != nil {
		return fmt.Errorf("linkage: %w", err)
	}
	defer open.Close()
	f, err := elf.NewFile(loaded{open})
	switch {
	case err != nil:
		return errors.New("it is neither a binary nor a script, which begins with a line such as #!/bin/sh")
	case f.Type != elf.ET_EXEC && f.Type != elf.ET_DYN:
		return errors.New("it is no program but an object file or a core file")
	case f.Entry == 0:
		return errors.New("it is a library: no place to begin is given")
	}
	return cut(f, open)
}

// CheckLength is Check for a binary that the kernel would start, and that would end by a signal: it is shorter than its
// headers say. Of other files the kernel says what is wrong with them.
func CheckLength(path string, env []string) error {
	open, err := sys.OpenRegular(code(path, env))
	if err != nil {
		return nil
	}
	defer open.Close()
	f, err := elf.NewFile(loaded{open})
	if err != nil {
		return nil
	}
	return cut(f, open)
}

// cut says that a file ends before a part that is loaded.
func cut(f *elf.File, open *os.File) error {
	info, err := open.Stat()
	if err != nil {
		return fmt.Errorf("linkage: %w", err)
	}
	size := uint64(info.Size())
	for _, part := range f.Progs {
		if part.Type == elf.PT_LOAD && (part.Off > size || part.Filesz > size-part.Off) {
			return fmt.Errorf("it has %d bytes, and less than its headers tell: copy or build it again", size)
		}
	}
	return nil
}

// A binary is what an ELF file says of its libraries.
type binary struct {
	file   string
	linker string // PT_INTERP
	dynamic
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
	b.file, b.dynamic = file, readDynamic(f)
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

// closed tells whether nothing but the program itself decides which MPI library it has: it loads no other libraries and
// starts no programs, and finds ours in a folder that it names.
func (b *binary) closed(env []string) bool {
	switch {
	case b.mayAsk() || b.opens || value(env, preload) != "":
		return false
	case !b.names(standard):
		return true
	}
	origin := filepath.Dir(b.file)
	if file, err := filepath.EvalSymlinks(b.file); err == nil {
		origin = filepath.Dir(file)
	}
	return value(env, "LD_LIBRARY_PATH") == "" && slices.ContainsFunc(b.folders, func(dir string) bool {
		dir = strings.NewReplacer("$ORIGIN", origin, "${ORIGIN}", origin).Replace(dir)
		_, err := os.Stat(filepath.Join(dir, Finder))
		return err == nil
	})
}
