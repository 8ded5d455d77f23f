package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// entry is a line as it is written: one of the two.
type entry struct {
	Environment *Environment `json:"environment,omitempty"`
	*Line
}

// Parse reads a file. Blank lines are left out, and so is a last line without newline.
func Parse(text []byte) (f File, err error) {
	for n := 1; ; n++ {
		line, rest, whole := bytes.Cut(text, []byte("\n"))
		if !whole {
			return f, nil
		}
		if text = rest; len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var e entry
		err := json.Unmarshal(line, &e)
		switch {
		case err != nil:
		case e.Environment != nil && e.Line == nil:
			f.Environments = append(f.Environments, *e.Environment)
			continue
		case e.Line == nil || e.Experiment == "" || e.Round < 1:
			err = errors.New("neither an environment nor a round of an experiment")
		case len(f.Environments) == 0:
			err = errors.New("a round before the environment it was measured in")
		}
		if err != nil {
			return File{}, fmt.Errorf("line %d: %w; is this a file that bench all has written?", n, err)
		}
		f.Lines = append(f.Lines, *e.Line)
	}
}

// Load reads the file of that name; it must have something to show.
func Load(name string) (File, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return File{}, fmt.Errorf("results: %w", err)
	}
	f, err := Parse(text)
	if err != nil {
		return File{}, fmt.Errorf("results: %s: %w", name, err)
	}
	if len(f.Lines) == 0 {
		return File{}, fmt.Errorf("results: %s: it has no results: write some with pvasrun bench all -o %s", name, name)
	}
	return f, nil
}

// A Journal is a file that is being appended to.
type Journal struct {
	File
	out *os.File
}

// An EnvironmentError says that a file has results of another machine or version.
type EnvironmentError struct {
	Name      string
	Have, Now Environment
}

func (e *EnvironmentError) Error() string {
	return fmt.Sprintf("results: %s: it was measured on another machine or with another version (%s, Linux %s, %s; "+
		"now %s, Linux %s, %s): name another file",
		e.Name, e.Have.CPU, e.Have.Kernel, e.Have.Version, e.Now.CPU, e.Now.Kernel, e.Now.Version)
}

// Append opens the file of that name, or makes it, reads what it has, cuts off an
// unfinished line, and says what is measured in from now on. It returns an
// *EnvironmentError if what is there was measured in another environment.
func Append(name string, now Environment) (*Journal, error) {
	out, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return nil, fmt.Errorf("results: %w", err)
	}
	j := &Journal{out: out}
	if err := j.begin(name, now); err != nil {
		return nil, errors.Join(err, out.Close())
	}
	return j, nil
}

func (j *Journal) begin(name string, now Environment) error {
	text, err := io.ReadAll(j.out)
	if err != nil {
		return fmt.Errorf("results: %w", err)
	}
	if j.File, err = Parse(text); err != nil {
		return fmt.Errorf("results: %s: %w", name, err)
	}
	for _, have := range j.Environments {
		if !have.Same(now) {
			return &EnvironmentError{name, have, now}
		}
	}
	if err := j.out.Truncate(int64(bytes.LastIndexByte(text, '\n') + 1)); err != nil {
		return fmt.Errorf("results: %w", err)
	}
	j.Environments = append(j.Environments, now)
	return j.write(entry{Environment: &now})
}

// Add appends a line.
func (j *Journal) Add(l Line) error {
	j.Lines = append(j.Lines, l)
	return j.write(entry{Line: &l})
}

func (j *Journal) write(e entry) error {
	line, err := json.Marshal(e)
	if err == nil {
		_, err = j.out.Write(append(line, '\n'))
	}
	if err != nil {
		return fmt.Errorf("results: %w", err)
	}
	return nil
}

// Close ends the appending.
func (j *Journal) Close() error { return j.out.Close() }
