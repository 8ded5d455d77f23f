package model

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/internal/lab/loggps/pattern"
	"github.com/gopvas/gopvas/loggps"
	"github.com/gopvas/gopvas/loggps/graph"
	"github.com/gopvas/gopvas/loggps/sim"
)

// SimFlags say what a program is simulated on.
type SimFlags struct {
	Model       string    `long:"model" env:"PVASRUN_MODEL" choice:"loggps" choice:"loggops" choice:"loggp1" choice:"loggp2" default:"loggps" description:"rules of the simulation: the model of protocol switches, that of LogGOPSim, or LogGP: with overheads that grow with the message, where nobody waits for a receiver (loggp1), or with one overhead up to S and one beyond (loggp2)"`
	Param       string    `long:"param" env:"PVASRUN_PARAM" value-name:"LIST|NAME|FILE" description:"parameters of the machine: a list such as L=2500,o=1500,G=6,S=65536 (ns, ns/byte, bytes; g, O, Oss, Ors, Osl, Orl, Gs, Gl, s too), a platform of the paper (myrinet, fast-ethernet, cenju-4), or a file"`
	Machine     string    `long:"machine" env:"PVASRUN_MACHINE" value-name:"FILE" description:"parameters that model fit has written"`
	Sync        *cli.Size `long:"S" env:"PVASRUN_S" value-name:"SIZE" default-mask:"that of the parameters" description:"what if messages up to this size were sent without waiting for the receiver"`
	Fragment    *cli.Size `long:"fragment" env:"PVASRUN_FRAGMENT" value-name:"SIZE" default-mask:"messages are whole" description:"what if programs cut messages into pieces of this size"`
	Synchronous bool      `long:"synchronous" env:"PVASRUN_SYNCHRONOUS" description:"what if every message waited for its receiver: finds programs that are correct only thanks to buffers"`
	Compute     float64   `long:"compute" env:"PVASRUN_COMPUTE" value-name:"FACTOR" default:"1" description:"what if computation took so many times as long"`
	NoSharing   bool      `long:"no-sharing" env:"PVASRUN_NO_SHARING" description:"give each message the bandwidth of its receiver as if it were alone"`
	CPUs        int       `long:"cpus" env:"PVASRUN_CPUS" value-name:"N" default-mask:"with --machine those of the recorded job, else one for each rank" description:"CPUs that the ranks of a node share in turns of 3 ms"`
}

// sharedSlice and sharedSwitch are how ranks share CPUs: the slice of Linux with HZ=250 and
// few ranks, and what changing to another rank costs. A ring of 8 bytes takes 2.0 us for each of 8 ranks on two CPUs,
// whose waits give way, 5.2 us for each of 16 and 6.5 for each of 32, whose waits sleep.
const (
	sharedSlice  = 3e6 // ns
	sharedSwitch = 5e3
)

// mostCompute bounds --compute: times stay numbers.
const mostCompute = 1e9

// Options are those of the simulation.
func (f *SimFlags) Options() (opt sim.Options, err error) {
	param, flag := f.Param, "--param"
	switch {
	case f.Param != "" && f.Machine != "":
		return opt, errors.New("--param and --machine: give one of them")
	case f.Machine != "":
		param, flag = f.Machine, "--machine"
	case f.Param == "":
		return opt,
			errors.New("--param is missing: write for example --param myrinet, or L=2500,o=1500,G=6,S=65536, or " +
				"measure this machine with pvasrun model fit -o FILE and give --machine FILE")
	}
	if opt.Machine, err = ReadMachine(param); err != nil {
		return opt, fmt.Errorf("%s: %w", flag, err)
	}
	if err = f.setModel(&opt); err != nil {
		return opt, err
	}
	if f.Sync != nil {
		for i := range opt.Machine.Links {
			opt.Machine.Links[i].Params.Sync = int64(*f.Sync)
		}
	}
	opt.Synchronous, opt.Compute, opt.Unshared = f.Synchronous, f.Compute, f.NoSharing
	switch {
	case f.Fragment != nil && *f.Fragment < 1:
		return opt, errors.New("--fragment: want pieces of 1 byte or more")
	case f.CPUs < 0:
		return opt, errors.New("--cpus: want 1 or more, or 0 for one for each rank")
	case !(f.Compute > 0 && f.Compute <= mostCompute):
		return opt, fmt.Errorf("--compute: want a factor above 0, and at most %g", float64(mostCompute))
	}
	return opt, nil
}

// setModel sets the rules, and makes the parameters those of the model.
func (f *SimFlags) setModel(opt *sim.Options) (err error) {
	as, rules := func(p loggps.Params) loggps.Params { return p }, f.Model
	switch f.Model {
	case "loggp1":
		if by := f.bySync(); by != "" {
			return fmt.Errorf("--model %s: it has no S: leave out %s", f.Model, by)
		}
		as, rules = loggp1, "loggp"
	case "loggp2":
		as, rules = loggp2, "loggps"
	}
	for i := range opt.Machine.Links {
		opt.Machine.Links[i].Params = as(opt.Machine.Links[i].Params)
	}
	opt.Mode, err = sim.ParseMode(rules)
	return err
}

// bySync names the flags that say what S is, and their variables.
func (f *SimFlags) bySync() string {
	var names []string
	for flag, given := range map[string]bool{"S": f.Sync != nil, "synchronous": f.Synchronous} {
		if !given {
			continue
		}
		names = append(names, "--"+flag)
		if variable := "PVASRUN_" + strings.ToUpper(flag); os.Getenv(variable) != "" {
			names = append(names, variable)
		}
	}
	slices.Sort(names)
	return strings.Join(names, " and ")
}

// whatIf tells whether something else is simulated than what ran, as far as flags say.
func (f *SimFlags) whatIf() bool {
	return slices.Contains(loggps.Presets(), f.Param) || f.Sync != nil || f.Fragment != nil || f.Synchronous ||
		f.Compute != 1 || f.CPUs != 0
}

// share lets ranks share CPUs, if there are fewer: those of --cpus, or if the parameters were
// measured, those that the ranks had when they were recorded.
func (f *SimFlags) share(opt *sim.Options, p *Program) {
	cpus, perNode := f.CPUs, p.Graph.Ranks()
	if cpus == 0 && f.Machine != "" {
		cpus = p.cpus
	}
	switch m := &opt.Machine; {
	case m.Nodes != nil:
		perNode = mostRanks(m.Nodes)
	case m.RanksPerNode > 0:
		perNode = m.RanksPerNode
	}
	if cpus > 0 && cpus < perNode {
		opt.Share = &sim.Share{CPUs: cpus, Slice: sharedSlice, Switch: sharedSwitch}
	}
}

// mostRanks is how many ranks the fullest node has.
func mostRanks(nodes []int) (most int) {
	ranks := map[int]int{}
	for _, node := range nodes {
		ranks[node]++
		most = max(most, ranks[node])
	}
	return most
}

// Prepare makes of a program what flags want to be simulated: its ranks are on the nodes on which they ran, and share
// their CPUs.
func (f *SimFlags) Prepare(opt *sim.Options, p *Program) (err error) {
	opt.Machine.Nodes = p.nodes
	if p.nodes != nil && len(opt.Machine.Links) == 1 && f.Machine != "" {
		fmt.Fprintf(os.Stderr, "pvasrun: %s: its ranks ran on several nodes, and %s has one link, which all messages "+
			"take: measure the network, too, by pvasrun model fit --nodes or --hosts\n", p.file, f.Machine)
	}
	f.share(opt, p)
	if f.Fragment != nil {
		p.Graph, err = fragment(p.Graph, *opt, int64(*f.Fragment), graph.MaxOps)
	}
	return err
}

// fragment cuts the messages of a program into pieces of so many bytes, of at most mostOps operations in all.
// What a receive gets is known once messages have matched.
func fragment(g *graph.Graph, opt sim.Options, piece int64, mostOps float64) (*graph.Graph, error) {
	ops := float64(g.Len())
	for id := range graph.ID(g.Len()) {
		if op := g.Op(id); op.Kind.Sends() && op.Size > piece {
			ops += 2 * float64((op.Size-1)/piece) // of the send, and of its receive
		}
	}
	if ops > mostOps {
		return nil, cli.Mistake(fmt.Errorf("model: cut messages into pieces of %d bytes: that makes %.3g operations, "+
			"more than %.3g: give --fragment a larger size", piece, ops, mostOps))
	}
	opt.Record, opt.Watch = false, nil
	whole, err := sim.Run(g, opt)
	if err != nil {
		return nil, modelMistake(err)
	}
	return pattern.Fragment(g, piece, func(id graph.ID) int64 {
		if g.Op(id).Kind.Receives() {
			id = whole.Mate(id)
		}
		return g.Op(id).Size
	})
}

// ReadMachine reads a list of parameters, the name of a platform, or a file.
func ReadMachine(param string) (loggps.Machine, error) {
	switch {
	case strings.Contains(param, "="):
		p, err := loggps.ParseParams(param)
		return loggps.Single(p), err
	case slices.Contains(loggps.Presets(), param):
		l, err := loggps.Preset(param)
		return loggps.Machine{Links: []loggps.Link{l}}, err
	}
	if err := regular(param); err != nil {
		return loggps.Machine{},
			fmt.Errorf("%w: write a list such as L=2500,o=1500,G=6,S=65536, a platform (%s), or a file of "+
				"pvasrun model fit -o FILE",
				err, strings.Join(loggps.Presets(), ", "))
	}
	f, err := os.Open(param)
	if err != nil {
		return loggps.Machine{}, err
	}
	defer f.Close()
	m, err := loggps.Read(f)
	if err != nil {
		return m, fmt.Errorf("%s: want parameters, which pvasrun model fit -o FILE writes: %w", param, err)
	}
	return m, nil
}

// Simulate runs a program. It is an error if the time is beyond all numbers.
func Simulate(p *Program, opt sim.Options) (*sim.Result, error) {
	r, err := sim.Run(p.Graph, opt)
	if err == nil && !(r.Time() < math.MaxFloat64) {
		err = fmt.Errorf("%s: the predicted time is beyond all numbers: make the parameters smaller", p.file)
	}
	if err == nil {
		p.tellSizes(r)
	}
	return r, err
}
