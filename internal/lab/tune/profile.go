package tune

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gopvas/gopvas/internal/node/atomicfile"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/machine"
	"github.com/gopvas/gopvas/internal/node/sys"
)

// format is the version of the file. A profile of another one is measured again.
const format = 1

// maxProfile is the longest file that is read, in bytes: many times a profile.
const maxProfile = 1 << 20

// A Profile is what was measured on a machine.
type Profile struct {
	Format     int         `json:"format"`
	Command    string      `json:"command"` // that has made it
	Date       time.Time   `json:"date"`
	Version    string      `json:"version"` // of gopvas
	Machine    Machine     `json:"machine"`
	Parameters []Parameter `json:"parameters"`
}

// A Machine is what the numbers of a profile depend on, and the kernel for the reader.
type Machine struct {
	CPU    string `json:"cpu"`    // model
	CPUs   int    `json:"cpus"`   // that a job may use
	CMA    bool   `json:"cma"`    // processes may read each other's memory
	Kernel string `json:"kernel"` // release; another one is no other machine
}

// A Parameter is a number of the settings, and how it was found.
type Parameter struct {
	Name     string       `json:"name"`
	Model    string       `json:"btl,omitempty"` // task model; "": both
	Unit     string       `json:"unit"`
	Default  int          `json:"default"` // 0: ranks find it out
	Value    int          `json:"value"`   // the default, unless Verdict is Measured
	Verdict  Verdict      `json:"verdict"`
	Reason   string       `json:"reason,omitempty"` // of NotMeasured
	Compared []Comparison `json:"compared,omitempty"`
}

// A Comparison is a benchmark by two ways.
type Comparison struct {
	Benchmark string `json:"benchmark"` // of pvasrun bench
	Model     string `json:"btl"`
	Ranks     int    `json:"ranks"`
	Bytes     int    `json:"bytes"`  // as the benchmark counts them
	Length    int    `json:"length"` // in the unit of the parameter
	Ways      [2]Way `json:"ways"`
	Faster    string `json:"faster,omitempty"` // a way; "": the rounds overlap
}

// A Way is one of two ways to do the same, with the average times of the rounds.
type Way struct {
	Name   string  `json:"way"`
	Min    float64 `json:"min_us"`
	Median float64 `json:"median_us"`
	Max    float64 `json:"max_us"`
}

// ThisMachine describes this machine, all but CMA.
func ThisMachine() Machine {
	return Machine{CPU: machine.Model(), CPUs: machine.CPUs(), Kernel: machine.Kernel()}
}

// ProbeCMA fills in CMA. It starts a process for some milliseconds.
func (m *Machine) ProbeCMA() { m.CMA = machine.CMA() == nil }

// Foreign says why the profile is not for a machine and a version, "" if it is.
func (p *Profile) Foreign(m Machine, version string) string {
	switch own := p.Machine; {
	case own.CPU != m.CPU:
		return fmt.Sprintf("it is of a CPU %q, and this is %q", own.CPU, m.CPU)
	case own.CPUs != m.CPUs:
		return fmt.Sprintf("it is of %d CPUs, and a job here may use %d", own.CPUs, m.CPUs)
	case own.CMA && !m.CMA:
		return "it is of a kernel that permits process_vm_readv, and this one refuses it"
	case !own.CMA && m.CMA:
		return "it is of a kernel that refuses process_vm_readv, and this one permits it"
	case p.Version != version:
		return fmt.Sprintf("it is of version %s, and this is %s", p.Version, version)
	}
	return ""
}

// Settings returns what the profile changes, by task model.
func (p *Profile) Settings() map[job.BTL]job.Settings {
	all := map[job.BTL]job.Settings{}
	for _, btl := range []job.BTL{job.BTLPvas, job.BTLSM} {
		var s job.Settings
		for _, own := range p.Parameters {
			if d := find(own.Name, own.Model); d != nil && own.Verdict == Measured &&
				(own.Model == "" || own.Model == btl.String()) {
				*d.field(&s) = own.Value
			}
		}
		all[btl] = s
	}
	return all
}

// Path returns where the profile of the user is: gopvas/profile.json in the folder of
// configurations.
func Path() (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("tune: profile: %w: set HOME or XDG_CONFIG_HOME, or name a file", err)
	}
	return filepath.Join(dir, "gopvas", "profile.json"), nil
}

// A FileError says why a file gives no profile.
type FileError struct {
	Path string
	Err  error
}

// Error names the file and what to do.
func (e *FileError) Error() string {
	return fmt.Sprintf("tune: profile %s: %v: write it anew with pvasrun tune, or refuse it with --profile none",
		e.Path, e.Err)
}

func (e *FileError) Unwrap() error { return e.Err }

// ReadFile reads a profile. The error is a *FileError, which names the field that is wrong. It wraps
// fs.ErrNotExist if there is no file.
func ReadFile(path string) (*Profile, error) {
	p, err := readFile(path)
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		err = at.Err // the path is there anyway
	}
	if err != nil {
		return nil, &FileError{path, err}
	}
	return p, nil
}

func readFile(path string) (*Profile, error) {
	f, err := sys.OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(f)
}

// Read reads a profile. The error names the field that is wrong.
func Read(r io.Reader) (*Profile, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxProfile+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxProfile {
		return nil, fmt.Errorf("longer than %d bytes", maxProfile)
	}
	var p Profile
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil {
		return nil, explain(text, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("line %d: more follows the end of the profile", line(text, d.InputOffset()))
	}
	return &p, p.check()
}

// explain says where the text is wrong.
func explain(text []byte, err error) error {
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("line %d: %w", line(text, syntax.Offset), err)
	}
	if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("line %d: field %s: %s in place of %s", line(text, kind.Offset),
			kind.Field, kind.Value, kind.Type)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("it ends too early")
	}
	return err
}

func line(text []byte, offset int64) int {
	return 1 + bytes.Count(text[:min(max(int(offset), 0), len(text))], []byte("\n"))
}

// check returns an error that names a field whose value makes no sense.
func (p *Profile) check() error {
	if p.Format != format {
		return fmt.Errorf("field format: %d, and this program reads %d", p.Format, format)
	}
	if p.Machine.CPUs < 1 {
		return fmt.Errorf("field machine.cpus: %d", p.Machine.CPUs)
	}
	for i, own := range p.Parameters {
		field, err := own.check()
		if err == nil && slices.ContainsFunc(p.Parameters[:i],
			func(q Parameter) bool { return q.Name == own.Name && q.Model == own.Model }) {
			field, err = "name", fmt.Errorf("%q is there twice", own.Name)
		}
		if err != nil {
			return fmt.Errorf("field parameters[%d].%s: %w", i, field, err)
		}
	}
	return nil
}

// check returns the field that is wrong, and how.
func (p *Parameter) check() (field string, err error) {
	d := find(p.Name, p.Model)
	switch {
	case d == nil:
		return "name", fmt.Errorf("there is no parameter %q of %q", p.Name, p.Model)
	case p.Unit != d.unit:
		return "unit", fmt.Errorf("%q in place of %q", p.Unit, d.unit)
	case !slices.Contains([]Verdict{Measured, DefaultBest, NotTold, NotMeasured}, p.Verdict):
		return "verdict", fmt.Errorf("unknown: %q", p.Verdict)
	case p.Verdict != Measured && p.Value != p.Default:
		return "value", fmt.Errorf("%d, and the default %d was not found to be worse", p.Value, p.Default)
	case p.Verdict == Measured && (p.Value < d.low || p.Value > d.high):
		return "value", fmt.Errorf("%d is outside %d..%d", p.Value, d.low, d.high)
	}
	return "", nil
}

// find returns a parameter, or nil.
func find(name, model string) *parameter {
	i := slices.IndexFunc(parameters, func(d *parameter) bool { return d.name == name && d.model() == model })
	if i < 0 {
		return nil
	}
	return parameters[i]
}

func (p *parameter) model() string {
	if p.btl == 0 {
		return ""
	}
	return p.btl.String()
}

// WriteFile writes a profile in place of that which is there, if any: a file, nothing else. If it
// fails, or the program ends meanwhile, that one stays whole. Behind a symbolic link it is the file
// that is replaced, and not the link.
func (p *Profile) WriteFile(path string) error {
	if err := p.writeFile(path); err != nil {
		return fmt.Errorf("tune: write profile %s: %w", path, err)
	}
	return nil
}

func (p *Profile) writeFile(path string) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return atomicfile.Write(path, func(w io.Writer) error {
		out := json.NewEncoder(w)
		out.SetIndent("", "  ")
		return out.Encode(p)
	})
}
