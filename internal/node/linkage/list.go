package linkage

import (
	"bufio"
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// A Library is one that the dynamic linker loads.
type Library struct {
	Name string // by which it is asked for
	File string // "": it is not found
}

// List asks a dynamic linker which libraries it would load with the program at path, in that order. It does not run
// the program.
//
// $ORIGIN is the folder of the file, as it is when the program runs, also if path is a link to it: the linker by itself
// takes the path it is told.
func List(linker, path string, env []string) ([]Library, error) {
	if file, err := filepath.EvalSymlinks(path); err == nil {
		path = file
	}
	if !strings.ContainsRune(path, '/') {
		path = "./" + path // else it would be looked for as a library
	}
	cmd := exec.Command(linker, "--list", path)
	cmd.Env = env
	out, err := cmd.Output()
	if err != nil && len(out) == 0 {
		return nil, fmt.Errorf("linkage: ask %s for its libraries: %w", linker, err)
	}
	return parseList(out, linker), nil
}

// parseList reads lines "name => path (address)" and "path (address)". What has no file is of the kernel, or not found.
func parseList(list []byte, linker string) (libraries []Library) {
	for lines := bufio.NewScanner(bytes.NewReader(list)); lines.Scan(); {
		name, file, found := strings.Cut(strings.TrimSpace(lines.Text()), " => ")
		if !found {
			file = name
		}
		if i := strings.LastIndex(file, " ("); i >= 0 {
			file = file[:i]
		}
		if !strings.Contains(file, "/") {
			file = ""
		}
		if !found {
			name = file[strings.LastIndexByte(file, '/')+1:]
		}
		if name != "" && file != linker {
			libraries = append(libraries, Library{name, file})
		}
	}
	return libraries
}
