package program

import (
	"debug/buildinfo"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/gopvas/gopvas/internal/node/linkage"
	"github.com/gopvas/gopvas/internal/node/sys"
)

// A wrapper is a program that starts another one, which is to be the rank: a shell, a debugger, a tool. In one address
// space it would be the rank itself, and what it starts none: no process enters the space after exec.

// shells start what their text says, which nobody can foresee. What a script executes last could be a rank of the space
// under two conditions. The rank would need its environment, descriptors, limits, folder and handlers of signals. And
// somebody would have to catch its execve. A tracer forbids debuggers, and a library is not loaded by programs that are
// linked statically. So the ranks of a script are processes.
var shells = []string{"sh", "bash", "dash", "ksh", "zsh", "fish", "csh", "tcsh", "busybox"}

// containers start programs of an image. Paths of this machine mean nothing there, but descriptors do.
var containers = []string{"ch-run", "chroot", "podman", "apptainer", "singularity"}

// Contains tells whether a program starts others in a container.
func Contains(name string) bool { return slices.Contains(containers, filepath.Base(name)) }

// Contain returns the words of a container's command and its environment, so that the program in it gets the setting
// (NAME=VALUE), so many descriptors from 3 on, the variables of a rank, and the network. Podman passes none of them
// unless its options say so.
func Contain(words, env []string, descriptors int, setting string) (with, set []string) {
	if len(words) < 2 || filepath.Base(words[0]) != "podman" || words[1] != "run" {
		name, _, _ := strings.Cut(setting, "=")
		env = slices.DeleteFunc(slices.Clone(env), func(kv string) bool { return strings.HasPrefix(kv, name+"=") })
		return words, append(env, setting)
	}
	with = append(slices.Clone(words[:2]), fmt.Sprintf("--preserve-fds=%d", descriptors), "--env="+setting)
	if !slices.ContainsFunc(words, func(w string) bool {
		option, _, _ := strings.Cut(w, "=")
		return option == "--net" || option == "--network"
	}) {
		with = append(with, "--network=host") // some windows need it
	}
	for _, prefix := range []string{"PVAS_", "PMI_", "OMPI_", "MPI_", "MALLOC_", "GOMAXPROCS", "OMP_"} {
		with = append(with, "--env="+prefix+"*")
	}
	return append(with, words[2:]...), env
}

// Wraps tells whether a program with these arguments, given as the user has, starts a rank: it is a shell that has a
// text to go by, or starts a container, or one of its arguments is a program that calls MPI.
func Wraps(name string, args []string) bool {
	if len(args) > 0 && slices.Contains(shells, filepath.Base(name)) || Contains(name) {
		return true
	}
	return slices.ContainsFunc(args, func(arg string) bool {
		for _, split := range []string{"-S", "--split-string="} { // of env
			arg = strings.TrimPrefix(arg, split)
		}
		return slices.ContainsFunc(strings.Fields(arg), callsMPI)
	})
}

// ShellOf returns the shell that executes a script, "" if the program is none of a shell.
func ShellOf(path string, args, env []string) string {
	if interpreter, _ := linkage.Unscript(path, args, env); interpreter != path {
		if name := filepath.Base(interpreter); slices.Contains(shells, name) {
			return name
		}
	}
	return ""
}

// Started returns the first program among a wrapper's arguments that asks for an MPI library, "" if there is none, and
// the environment that it has: assignments before it count, as the words of a shell or of env.
func Started(args, env []string) (path string, with []string) {
	variable := func(name string) (value string) {
		for _, kv := range env {
			if v, is := strings.CutPrefix(kv, name+"="); is {
				value = v
			}
		}
		return value
	}
	for _, arg := range args {
		for _, word := range strings.Fields(arg) {
			word = strings.Trim(word, "\"';&|()")
			if name, value, assigned := strings.Cut(word, "="); assigned {
				env = append(slices.Clip(env), name+"="+os.Expand(strings.Trim(value, "\"'"), variable))
				continue
			}
			if found, err := exec.LookPath(word); err == nil && linkage.Asks(found) {
				return found, env
			}
		}
	}
	return "", nil
}

// callsMPI tells whether a word names a program that uses package mpi, or the MPI library.
func callsMPI(word string) bool {
	if strings.HasPrefix(word, "-") || strings.Contains(word, "=") {
		return false
	}
	path, err := exec.LookPath(word)
	if err != nil {
		return false
	}
	file, err := sys.OpenRegular(path)
	if err != nil {
		return false
	}
	defer file.Close()
	if info, err := buildinfo.Read(file); err == nil {
		const module = "github.com/gopvas/gopvas"
		return info.Main.Path == module || info.Deps != nil &&
			slices.ContainsFunc(info.Deps, func(d *debug.Module) bool { return d.Path == module })
	}
	return linkage.Asks(path)
}
