package linkage

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// A Program is how the ranks of a program get their MPI library.
type Program struct {
	MPI     string   `json:"mpi,omitempty"`     // the name of the library that it asks for; "": none before it runs
	For     string   `json:"for,omitempty"`     // the file that asks for it
	Library string   `json:"library,omitempty"` // the file that it gets
	Set     []string `json:"set,omitempty"`     // variables of its ranks
	Missing []Import `json:"missing,omitempty"` // in our library

	main   binary
	in     Installation
	served bool
}

// Remark is what a user should know before the ranks start; "": nothing.
func (p *Program) Remark() string {
	switch {
	case p.MPI == "" || strings.HasPrefix(p.MPI, standard):
		return ""
	case p.served && len(p.Missing) > 0:
		others := ""
		if n := len(p.Missing) - 1; n > 0 {
			others = fmt.Sprintf(", and %d others", n)
		}
		return fmt.Sprintf("calls %s%s, which our %s has not: a rank that calls it ends", p.Missing[0].Name, others,
			p.MPI)
	case p.served:
		return ""
	case faceFor(p.MPI) != "":
		return fmt.Sprintf("is linked with %s (%s), and each of its ranks is alone: "+
			"pvasrun install-mpi installs the library that makes them one job; from a DIR of its own "+
			"DIR/bin/mpiexec starts them", Implementation(p.MPI), p.MPI)
	}
	return fmt.Sprintf("is linked with another MPI (%s): each of its ranks is alone; build it with the mpicc of "+
		"pvasrun install-mpi", p.MPI)
}

// Env returns an environment with the variables set.
func (p *Program) Env(env []string) []string {
	for _, setting := range p.Set {
		name, _, _ := strings.Cut(setting, "=")
		env = slices.DeleteFunc(slices.Clone(env), func(kv string) bool { return strings.HasPrefix(kv, name+"=") })
		env = append(env, setting)
	}
	return env
}

// Prepare returns a program whose ranks look for their MPI library in an installation first; "": there is none. It
// starts no process, and knows no more.
func Prepare(path string, env []string, in Installation) *Program {
	p := &Program{in: in}
	main, err := readBinary(code(path, env))
	if errors.Is(err, fs.ErrPermission) { // who may not read it may execute it: it may ask for any
		p.Set = in.finds(env)
		return p
	}
	if err != nil || main.linker == "" || len(main.needed) == 0 {
		return p // no program of a dynamic linker
	}
	if p.main = main; !main.closed(env) {
		p.Set = in.finds(env)
	}
	return p
}

// Ask finds out which MPI library the program would load, and sees to it that it is that of the installation. version
// is that of the root block of this program. An error says why its ranks could not run.
func (p *Program) Ask(env []string, version uint64) error {
	if !p.main.mayAsk() && value(env, preload) == "" {
		return nil
	}
	return p.Inspect(env, version)
}

// Inspect is Ask, also of a program that cannot ask for another MPI than ours.
func (p *Program) Inspect(env []string, version uint64) error {
	if p.main.linker == "" {
		return nil
	}
	if err := p.ask(env); err != nil {
		if p.in != "" {
			return cmp.Or(p.in.broken(version), err) // which may be why
		}
		return err
	}
	face := faceFor(p.MPI)
	if face == "" || p.in == "" {
		return nil
	}
	if err := p.in.check(face, version); err != nil {
		return err
	}
	if p.Library != p.in.file(face) {
		return fmt.Errorf("it finds %s, and %s is not there: repeat pvasrun install-mpi %s", p.Library,
			p.in.file(Finder), p.in)
	}
	p.served = true
	return nil
}

// ask asks the dynamic linker.
func (p *Program) ask(env []string) error {
	libraries, err := List(p.main.linker, p.main.file, p.Env(env))
	if err != nil {
		return err
	}
	return p.take(libraries)
}

// take finds the MPI library among those that the dynamic linker has named.
func (p *Program) take(libraries []Library) error {
	files := []binary{p.main}
	var cores []Library
	for _, l := range libraries {
		if isMPI(l.Name) || p.in.serves(l) != "" {
			cores = append(cores, l)
		}
		if b, err := readBinary(l.File); err == nil {
			files = append(files, b)
		}
	}
	if len(cores) == 0 {
		return nil
	}
	p.MPI, p.Library, p.For = cores[0].Name, cores[0].File, asker(files, cores[0].Name)
	if face := faceFor(p.MPI); face != "" && p.in.serves(cores[0]) == "" {
		p.in = cmp.Or(installationOf(p.Library), p.in)
	}
	if face := p.in.serves(cores[0]); face != "" {
		p.MPI, p.Library = face, p.in.file(face)
	}
	if len(cores) > 1 {
		for _, l := range cores {
			if asker(files, l.Name) == preload {
				return fmt.Errorf("it would load two MPI libraries, one of them %s: take it out of %s", l.File, preload)
			}
		}
		return fmt.Errorf("it would load two MPI libraries, %s for %s and %s for %s: link it with one", p.MPI, p.For,
			cores[1].Name, asker(files, cores[1].Name))
	}
	if faceFor(p.MPI) != "" && p.in != "" {
		p.Missing = missing(files)
	}
	return nil
}

// Alone says why ranks would not find one another whose program another program starts; "" if they would. env is what
// that gives the program, and nothing can be added to it.
func Alone(path string, env []string, in Installation) string {
	main, err := readBinary(path)
	if err != nil || main.linker == "" {
		return ""
	}
	p := &Program{in: in, main: main}
	libraries, err := List(main.linker, path, env)
	if err == nil {
		err = p.take(libraries)
	}
	switch face := faceFor(p.MPI); {
	case err != nil:
		return err.Error()
	case face == "" || p.in == "":
		return p.Remark()
	case p.Library != p.in.file(face):
		return fmt.Sprintf("would load %s, by the variables that it is started with, and each of its ranks be alone: "+
			"have LD_AUDIT name %s", cmp.Or(p.Library, "no MPI"), in.file(Finder))
	}
	return ""
}

// Asks tells whether the program at path names a library of MPI, or loads one that does. It asks no dynamic linker but
// one of the system.
func Asks(path string) bool {
	b, err := readBinary(path)
	if err != nil {
		return false
	}
	if slices.ContainsFunc(b.needed, isMPI) {
		return true
	}
	if !b.mayAsk() || !strings.HasPrefix(b.linker, "/lib") {
		return false
	}
	libraries, _ := List(b.linker, path, nil) // an error: it loads none
	return slices.ContainsFunc(libraries, func(l Library) bool { return isMPI(l.Name) })
}

// asker is the first file that names a library.
func asker(files []binary, name string) string {
	for i := range files {
		if files[i].names(name) {
			return filepath.Base(files[i].file)
		}
	}
	return preload
}

// preload names the libraries that are loaded with every program, before those that it asks for.
const preload = "LD_PRELOAD"

// value is that of a variable of the environment.
func value(env []string, variable string) (value string) {
	for _, kv := range env {
		if v, is := strings.CutPrefix(kv, variable+"="); is {
			value = v // the last one counts
		}
	}
	return value
}

// first returns a setting of the environment that begins with a word, and goes on with what is there.
func first(variable string, env []string, word string) string {
	value := value(env, variable)
	switch {
	case value == "":
		return variable + "=" + word
	case value == word || strings.HasPrefix(value, word+":"):
		return variable + "=" + value
	}
	return variable + "=" + word + ":" + value
}
