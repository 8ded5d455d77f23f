package results

import (
	"time"
)

// An Environment is what numbers depend on and a run does not choose.
type Environment struct {
	Version   string            `json:"version"` // of this project
	Go        string            `json:"go"`
	Arch      string            `json:"arch"`
	CPU       string            `json:"cpu"`
	CPUs      int               `json:"cpus"`
	MemoryMiB int64             `json:"memory_mib"`
	Kernel    string            `json:"kernel"`
	HugePages string            `json:"huge_pages"` // transparent ones in anonymous memory: always, madvise or never
	CMA       bool              `json:"cma"`        // process_vm_readv is permitted
	Peers     map[string]string `json:"peers"`      // MPIs compared with, and their versions
	Started   time.Time         `json:"started"`

	// Not in files of old.
	Commit  string   `json:"commit,omitempty"`  // of the source, "" where it is not known
	Virtual string   `json:"virtual,omitempty"` // the machine's hypervisor, or none
	Load    *float64 `json:"load,omitempty"`    // average over the minute before the start
}

// Same tells whether numbers measured in both may stand in one file: the same machine
// and the same programs. Peers may be added.
func (e Environment) Same(other Environment) bool {
	for name, version := range e.Peers {
		if v, both := other.Peers[name]; both && v != version {
			return false
		}
	}
	return e.Version == other.Version && e.Go == other.Go && e.Arch == other.Arch && e.CPU == other.CPU &&
		e.CPUs == other.CPUs && e.MemoryMiB>>10 == other.MemoryMiB>>10 && // it changes by some MiB with each boot
		e.Kernel == other.Kernel &&
		e.HugePages == other.HugePages && e.CMA == other.CMA
}

// A Line is one round of one experiment: all its contestants, one after the other.
type Line struct {
	Experiment string  `json:"experiment"`
	Command    string  `json:"command"` // repeats the experiment; another command is another experiment
	Round      int     `json:"round"`   // from 1
	Seconds    float64 `json:"seconds"` // that the round took
	Points     []Point `json:"points,omitempty"`
	Skipped    string  `json:"skipped,omitempty"` // why it cannot be measured here
	Failed     string  `json:"failed,omitempty"`  // why it ended early; it is tried again when the run is taken up
}

// A Point is what one contestant has done.
type Point struct {
	Benchmark  string             `json:"benchmark"`
	Contestant string             `json:"contestant"`        // pvas, sm/none, sm/cma, openmpi, ...
	Setting    string             `json:"setting,omitempty"` // what else tells it from others, such as eager=1
	Ranks      int                `json:"ranks"`
	Bytes      int                `json:"bytes,omitempty"`
	Values     map[string]float64 `json:"values"` // by name, which ends in the unit: t_us, growth_kib, mops
}

// A File is what has been measured.
type File struct {
	Environments []Environment
	Lines        []Line
}

// Has tells whether a round is there and need not be run again.
func (f *File) Has(command string, round int) bool {
	for _, l := range f.Lines {
		if l.Command == command && l.Round == round && l.Failed == "" {
			return true
		}
	}
	return false
}
