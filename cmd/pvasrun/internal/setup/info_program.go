package setup

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/linkage"
	"github.com/gopvas/gopvas/pvas"
)

// linked is how a program is linked; programInfo has its fields.
type linked = linkage.Program

// programInfo is what ranks of a program would be.
type programInfo struct {
	Program string `json:"program"`
	*linked
	Implementation string `json:"implementation,omitempty"` // whose MPI it was built for
	Problem        string `json:"problem,omitempty"`        // why its ranks could not run, or would be alone
	Apart          string `json:"apart,omitempty"`          // why its ranks could not share an address space
}

// printProgram says how ranks of a program get their MPI library, and whether they can share an address space.
func printProgram(typed string, asJSON bool) error {
	path, err := exec.LookPath(typed)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return cli.Mistake(notExecuted(typed, err))
	}
	env := os.Environ()
	if err := linkage.Check(path, env); err != nil {
		return cli.Mistake(fmt.Errorf("info: %s: %w: name a program", typed, err))
	}
	i := programInfo{Program: path, linked: linkage.Prepare(path, env, linkage.Find())}
	if err := i.Inspect(env, job.LayoutVersion); err != nil {
		i.Problem = err.Error()
	} else {
		i.Problem = i.Remark()
	}
	if i.MPI != "" {
		i.Implementation = linkage.Implementation(i.MPI)
	}
	if err := pvas.Check(path, i.Env(env)...); err != nil {
		i.Apart = err.Error()
	}
	if asJSON {
		return json.NewEncoder(os.Stdout).Encode(i)
	}
	return i.writeText(os.Stdout)
}

// notExecuted is the error of a word that stands for no program.
func notExecuted(typed string, err error) error {
	recorded, unread := cli.IsTrace(typed)
	found, _ := os.Stat(typed)
	switch {
	case typed == "":
		return errors.New("info: the name of the program is empty: name one, or leave it out for this machine")
	case found != nil && found.IsDir():
		if sources, _ := filepath.Glob(filepath.Join(typed, "*.go")); len(sources) > 0 {
			return fmt.Errorf("info: %s is a folder with Go code: go build -buildmode=pie -o NAME builds its program, "+
				"and pvasrun info ./NAME tells of it", typed)
		}
		return fmt.Errorf("info: %s is a folder: name a program", typed)
	case found != nil && !found.Mode().IsRegular():
		return fmt.Errorf("info: %s is no regular file: name a program", typed)
	case recorded:
		return fmt.Errorf("info: %s is a trace: pvasrun trace info %[1]s tells of it", typed)
	case unread == nil && errors.Is(err, exec.ErrNotFound):
		return fmt.Errorf("info: %w: a program of this directory is ./%s", err, typed)
	case unread == nil && errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("info: %w: name a program; chmod +x %s makes it one", err, typed)
	}
	return fmt.Errorf("info: %w: name a program", err)
}

func (i *programInfo) writeText(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "Program\t%s\n", i.Program)
	switch {
	case i.MPI != "":
		fmt.Fprintf(w, "Built for\t%s (%s, for %s)\n", i.Implementation, i.MPI, i.For)
		fmt.Fprintf(w, "Served by\t%s\n", cmp.Or(i.Library, "nothing: it is not found"))
	default:
		fmt.Fprintf(w, "Built for\tno MPI library, or one that it loads when it runs\n")
	}
	if len(i.Set) > 0 {
		fmt.Fprintf(w, "Ranks have\t%s\n", strings.Join(i.Set, " "))
	}
	for _, m := range i.Missing {
		fmt.Fprintf(w, "Missing\t%s, for %s\n", m.Name, m.For)
	}
	fmt.Fprintf(w, "One address space\t%s\n", cmp.Or(i.Apart, "yes"))
	if i.Problem != "" {
		fmt.Fprintf(w, "Problem\t%s\n", i.Problem)
	}
	return w.Flush()
}
