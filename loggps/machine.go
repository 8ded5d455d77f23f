package loggps

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// A Link is one way between ranks, such as the memory of a node or a device.
type Link struct {
	Name   string `json:"name"`
	Source string `json:"source,omitempty"` // where the numbers came from
	Params Params `json:"params"`
	// Distance is what a cache line mostly took from one CPU to the other and back, ns; 0: not known. The host
	// of a virtual machine may move CPUs, and messages then take another time. The parameters were measured at
	// this distance, as far as the host let them.
	Distance float64 `json:"distance_ns,omitempty"`
	// Interval has, for parameters that were measured, the ends of a confidence interval.
	Interval map[string][2]float64 `json:"interval,omitempty"`
	// NotDetermined names parameters that the measurement could not tell apart from others.
	NotDetermined []string `json:"not_determined,omitempty"`
}

// A Machine is the links of a number of nodes.
type Machine struct {
	// Links are the memory of a node first, then the devices between nodes by NIC index;
	// the last one stands for all that follow. One link alone serves everything.
	Links []Link
	// RanksPerNode is the number of consecutive ranks on a node; 0: one node has all.
	RanksPerNode int
	// Nodes is the node of each rank of one program, counted from 0; nil: RanksPerNode says it. A file has none.
	Nodes []int
	// Recording is what recording a job adds between two calls, ns, by the kinds of the calls. It
	// is for programs that are made of recorded jobs, and nil if it is not known.
	Recording map[string]float64
	// Operations are collective operations that were measured as a whole, likewise.
	Operations []Operation
}

// Single returns the machine whose ranks all use one link.
func Single(p Params) Machine {
	return Machine{Links: []Link{{Name: "link", Params: p}}}
}

// LinkOf returns the index of the link that a message between two ranks uses.
func (m *Machine) LinkOf(src, dst int, nic uint8) int {
	if len(m.Links) == 1 || m.nodeOf(src) == m.nodeOf(dst) {
		return 0
	}
	return min(1+int(nic), len(m.Links)-1)
}

// nodeOf is the node of a rank.
func (m *Machine) nodeOf(rank int) int {
	switch {
	case m.Nodes != nil:
		return m.Nodes[rank]
	case m.RanksPerNode > 0:
		return rank / m.RanksPerNode
	}
	return 0
}

// mostRecording is a second, in ns: more than recording ever adds, and far from the end of integers.
const mostRecording = 1e9

// Validate reports a machine that cannot be simulated.
func (m *Machine) Validate() error {
	if len(m.Links) == 0 {
		return errors.New("loggps: machine: no links; give at least one")
	}
	if m.RanksPerNode < 0 {
		return fmt.Errorf("loggps: machine: %d ranks per node; give 0 for a single node, or more", m.RanksPerNode)
	}
	for calls, ns := range m.Recording {
		if !(ns >= 0 && ns <= mostRecording) {
			return fmt.Errorf("loggps: machine: recording between %q takes %v ns: want 0 to %v", calls, ns,
				float64(mostRecording))
		}
	}
	for i := range m.Operations {
		if err := m.Operations[i].check(); err != nil {
			return err
		}
	}
	for _, l := range m.Links {
		if err := l.Params.Validate(); err != nil {
			return fmt.Errorf("loggps: link %s: %w", l.Name, err)
		}
	}
	return nil
}

// machineFile is a Machine in a file.
type machineFile struct {
	Model        string            `json:"model"`
	Version      int               `json:"version"`
	Units        map[string]string `json:"units"`
	RanksPerNode int               `json:"ranks_per_node"`
	Links        []Link            `json:"links"`

	Recording  map[string]float64 `json:"recording_ns,omitempty"`
	Operations []Operation        `json:"operations,omitempty"`
}

const (
	fileModel   = "LogGPS"
	fileVersion = 1
)

var fileUnits = map[string]string{
	"L, o, g": "ns", "Oss, Ors, Osl, Orl, Gs, Gl": "ns/byte", "s, S": "bytes",
}

// MarshalJSON writes the machine with its units.
func (m Machine) MarshalJSON() ([]byte, error) {
	return json.Marshal(machineFile{fileModel, fileVersion, fileUnits, m.RanksPerNode, m.Links,
		m.Recording, m.Operations})
}

// UnmarshalJSON reads what MarshalJSON has written.
func (m *Machine) UnmarshalJSON(text []byte) error {
	var f machineFile
	in := json.NewDecoder(bytes.NewReader(text))
	in.DisallowUnknownFields() // one that is misspelt would be left out
	if err := in.Decode(&f); err != nil {
		return fmt.Errorf("loggps: parameters: %w", err)
	}
	if f.Model != fileModel || f.Version != fileVersion {
		return fmt.Errorf("loggps: parameters: model %q version %d; want model %q version %d, as Machine writes it",
			f.Model, f.Version, fileModel, fileVersion)
	}
	for what, unit := range f.Units {
		if want, ok := fileUnits[what]; !ok || unit != want {
			return fmt.Errorf("loggps: parameters: unit of %s is %q; give ns, ns/byte and bytes, or leave units out",
				what, unit)
		}
	}
	read := Machine{Links: f.Links, RanksPerNode: f.RanksPerNode, Recording: f.Recording, Operations: f.Operations}
	if err := read.Validate(); err != nil {
		return err
	}
	*m = read
	return nil
}

// Read reads a machine in JSON.
func Read(r io.Reader) (Machine, error) {
	var m Machine
	in := json.NewDecoder(r)
	if err := in.Decode(&m); err != nil {
		return Machine{}, fmt.Errorf("loggps: read parameters: %w", err)
	}
	if _, err := in.Token(); err != io.EOF {
		return Machine{}, errors.New("loggps: read parameters: there is more behind the parameters: leave it out")
	}
	return m, nil
}

// Write writes the machine in JSON, for people too.
func (m Machine) Write(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(m)
}
