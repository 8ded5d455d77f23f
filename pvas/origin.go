package pvas

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
)

// Programs that ask for $ORIGIN, the folder they lie in, to find their libraries.
//
// A dynamic linker that the kernel has started besides a program takes the origin
// from /proc/self/exe. In one address space that is the creator of the space, for
// all tasks. A dynamic linker that is started with a program as its argument takes
// it from the argument. A task whose program asks for the origin is therefore
// entered as the command
//
//	ld.so --argv0 NAME PATH ARGS...
//
// The dynamic linker then maps the program itself, at a place that the kernel
// chooses; the partition holds the rest of the task. The origin of a library
// comes from the library's own path in any case.
//
// Not seen: a program that makes up the word at run time.

// asksOrigin reports whether a text names the origin.
func asksOrigin(text []byte) bool {
	return bytes.Contains(text, []byte("$ORIGIN")) || bytes.Contains(text, []byte("${ORIGIN}"))
}

// environmentAsksOrigin reports whether a setting of the dynamic linker names it.
func environmentAsksOrigin(env []string) bool {
	for _, setting := range env {
		if strings.HasPrefix(setting, "LD_") && asksOrigin([]byte(setting)) {
			return true
		}
	}
	return false
}

// readOrigin looks for the origin in the strings of a dynamic section and, in a
// program that opens libraries by itself, in its data.
func (p *planner) readOrigin(strings []byte) error {
	p.img.origin = asksOrigin(strings)
	opens := bytes.Contains(strings, []byte("\x00dlopen\x00")) || bytes.Contains(strings, []byte("\x00dlmopen\x00"))
	for i := 0; opens && !p.img.origin && i < len(p.img.segments); i++ {
		var err error
		if p.img.origin, err = p.segmentAsksOrigin(&p.img.segments[i]); err != nil {
			return err
		}
	}
	return nil
}

// segmentAsksOrigin reads a segment in pieces that overlap by more than the word.
func (p *planner) segmentAsksOrigin(s *segment) (bool, error) {
	const piece, overlap = 1 << 20, 16
	b := make([]byte, min(piece, s.fileSize))
	for at := uint64(0); at < s.fileSize; at += piece - overlap {
		n := min(uint64(len(b)), s.fileSize-at)
		if _, err := p.r.ReadAt(b[:n], s.offset+int64(at)); err != nil {
			return false, fmt.Errorf("read segment at %#x: %w", s.addr, err)
		}
		if asksOrigin(b[:n]) {
			return true, nil
		}
	}
	return false, nil
}

// takesArgv0 reports whether a dynamic linker can be told the name of the program:
// that of glibc since 2.33, that of musl.
func takesArgv0(linker *sourceFile, size int64) (bool, error) {
	b := make([]byte, min(size, maxLinker))
	if _, err := linker.ReadAt(b, 0); err != nil {
		return false, fmt.Errorf("read: %w", err)
	}
	return bytes.Contains(b, []byte("--argv0")), nil
}

// maxLinker bounds how much of a dynamic linker is searched.
const maxLinker = 16 << 20

// forEnv completes a program for a task with an environment.
func (p program) forEnv(path string, env []string) (program, error) {
	p.through = p.interp != nil && (p.img.origin || environmentAsksOrigin(env))
	if p.through && !p.argv0 {
		return program{}, &ImageError{path, ErrOrigin}
	}
	return p, nil
}

// command is the argument list that a task starts with.
func (p program) command(spec *TaskSpec) ([]string, error) {
	if !p.through {
		return spec.Args, nil
	}
	// As /proc/self/exe, which does not show symbolic links.
	path, err := filepath.EvalSymlinks(spec.Path)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return nil, &ImageError{spec.Path, cause(err)}
	}
	name, args := path, []string(nil)
	if len(spec.Args) > 0 {
		name, args = spec.Args[0], spec.Args[1:]
	}
	return append([]string{p.ifile.Name(), "--argv0", name, path}, args...), nil
}
