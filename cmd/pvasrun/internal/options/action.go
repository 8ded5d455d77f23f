package options

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/gopvas/gopvas/launcher"
)

// An action is what pvasrun does with an option.
type action struct {
	text string // for people: a flag of pvasrun, or a reason

	// flags returns the flags of pvasrun that mean the same, none if it does so anyway, or an error that says what to
	// write. nil: the option is ignored, and text says why.
	flags func(l *line, values []string) ([]string, error)
}

// flag is a flag of pvasrun that means the same, with the option's value or a given one.
func flag(name string, value ...string) action {
	return action{strings.Join(append([]string{name}, value...), " "), func(_ *line, given []string) ([]string, error) {
		return slices.Concat([]string{name}, value, given), nil
	}}
}

// ofAll is an action for the program that the option stands before, and for those behind it.
func ofAll(a action) action {
	return action{a.text, func(l *line, values []string) ([]string, error) {
		ours, err := a.flags(l, values)
		l.ofEach = append(l.ofEach, ours...)
		return ours, err
	}}
}

// by is an action whose value is not that of the flag.
func by(text string, flags func(l *line, value string) ([]string, error)) action {
	return action{text, func(l *line, values []string) ([]string, error) {
		return flags(l, strings.Join(values, "="))
	}}
}

var needless = by("is so anyway", func(*line, string) ([]string, error) { return nil, nil })

func ignored(why string) action { return action{text: why} }

func refused(advice string) action {
	return by("is refused: "+advice, func(*line, string) ([]string, error) { return nil, errors.New(advice) })
}

var (
	variable  = flagOf("-x", func(value string) string { return value })
	perDomain = func(kind string) action {
		return flagOf("--map-by", func(n string) string { return "ppr:" + n + ":" + kind })
	}
	perResource = flagOf("--map-by", func(list string) string { return "ppr:" + list })

	// Slurm has this in its variables too, from which pvasrun takes it.
	allocation = ignored("pvasrun asks for no resources: give it to salloc or sbatch")
)

// flagOf is a flag whose value is made of the option's.
func flagOf(name string, value func(string) string) action {
	return by(name, func(_ *line, text string) ([]string, error) { return []string{name, value(text)}, nil })
}

// ranks tells apart what -c means: ranks to mpirun, CPUs of each rank to srun.
var ranks = by("-n", func(l *line, n string) ([]string, error) {
	if l.has("c") && l.has("n", "np", "ntasks") {
		return nil, errors.New("-c is the number of ranks, as it is for mpirun, and another flag says that, too: for " +
			"CPUs of each rank, as srun has it, write --cpus-per-rank N")
	}
	if l.has("c") && os.Getenv("SLURM_JOB_ID") != "" {
		l.warn("-c " + n + " is the number of ranks, as it is for mpirun: srun's CPUs of each rank are --cpus-per-rank")
	}
	return []string{"-n", n}, nil
})

// perNode is what -N means to mpirun. To srun it is the number of nodes.
var perNode = by("--per-node: the ranks of each node, as for mpirun", func(l *line, n string) ([]string, error) {
	if os.Getenv("SLURM_JOB_ID") != "" {
		l.warn("-N " + n + " is the number of ranks of each node, as it is for mpirun, and not of nodes")
	}
	return []string{"--per-node", n}, nil
})

var universe = by("--universe", func(_ *line, value string) ([]string, error) {
	if strings.EqualFold(value, "INFINITE") || strings.EqualFold(value, "SYSTEM") {
		return nil, nil // the default leaves room
	}
	return []string{"--universe", value}, nil
})

var nodelist = by("--hosts", func(_ *line, list string) ([]string, error) {
	if strings.Contains(list, "/") {
		return []string{"--hostfile", list}, nil // as srun has it
	}
	return []string{"--hosts", list}, nil
})

// nodes is taken where it says what is so.
var nodes = by("is so anyway if that is the number of nodes", func(_ *line, n string) ([]string, error) {
	if n == "1" && os.Getenv("SLURM_NNODES") == "" || n == os.Getenv("SLURM_NNODES") {
		return nil, nil
	}
	return nil, errors.New("name the nodes: --hosts a,b, or --hostfile FILE")
})

var faultTolerance = by("--survive", func(_ *line, kind string) ([]string, error) {
	switch strings.ToLower(kind) {
	case "ulfm", "mpi", "yes", "true", "1":
		return []string{"--survive"}, nil
	case "no", "none", "false", "0":
		return nil, nil
	}
	return nil, fmt.Errorf("%q: write --with-ft ulfm, which is --survive", kind)
})

var remote = by("--rsh", func(_ *line, name string) ([]string, error) {
	switch name {
	case "ssh", "slurm", "fork", "auto":
		return nil, nil // is chosen so
	case "rsh":
		return []string{"--rsh", "rsh"}, nil
	}
	return nil, fmt.Errorf("%q: ssh starts pvasrun on the other nodes, or srun in a Slurm allocation: write --rsh CMD "+
		"for another command", name)
})

var bindTo = by("--bind", func(_ *line, value string) ([]string, error) {
	way := strings.TrimPrefix(value, "user:") // MPICH
	if plain, modifier, _ := strings.Cut(way, ":"); modifier == "overload-allowed" || modifier == "if-supported" {
		way = plain // pvasrun does so anyway
	}
	if _, err := launcher.ParseBinding(way); err != nil {
		return nil, noBinding(value)
	}
	return []string{"--bind", way}, nil
})

func noBinding(value string) error {
	return fmt.Errorf("%q: write --bind auto, none, core, l3, numa, socket, or a LIST of a CPU or range for each rank",
		value)
}

// cpuBind takes srun's ways to bind.
var cpuBind = by("--bind", func(_ *line, value string) (ours []string, err error) {
	for _, word := range [...]string{"verbose,", "v,", "quiet,", "q,"} {
		if rest, ok := strings.CutPrefix(value, word); ok {
			value = rest
			if word[0] == 'v' {
				ours = []string{"--report-bindings"}
			}
		}
	}
	way, list, _ := strings.Cut(value, ":")
	to, known := map[string]string{"none": "none", "no": "none", "cores": "core", "threads": "core", "rank": "core",
		"sockets": "socket", "ldoms": "numa", "map_cpu": list}[way]
	if !known || to == "" {
		return nil, noBinding(value)
	}
	return append(ours, "--bind", to), nil
})

// rankBy is taken where ranks are numbered as they are dealt: pvasrun numbers no other way.
var rankBy = by("--map-by", func(l *line, value string) ([]string, error) {
	way, more, _ := strings.Cut(value, ":")
	mapped, _, _ := strings.Cut(l.value("map-by"), ":")
	if l.has("bynode") {
		mapped = "node"
	}
	inOrder := mapped == "" || mapped == "slot" || mapped == "core" || mapped == "ppr"
	switch {
	case more != "":
	case (way == "slot" || way == "fill") && inOrder, way == "core" && mapped == "", way == mapped:
		return nil, nil
	case inOrder && mapped != "ppr":
		return []string{"--map-by", way}, nil
	}
	return nil, fmt.Errorf("%q: ranks are numbered as --map-by deals them", value)
})

// distribution is srun's: nodes, then sockets, then cores.
var distribution = by("--map-by", func(_ *line, value string) ([]string, error) {
	levels := strings.Split(strings.SplitN(value, ",", 2)[0], ":")
	at := func(i int) string {
		if i < len(levels) && levels[i] != "*" {
			return levels[i]
		}
		return "block"
	}
	switch {
	case at(0) == "cyclic" && at(1) == "block":
		return []string{"--map-by", "node"}, nil
	case at(0) == "block" && (at(1) == "cyclic" || at(1) == "fcyclic"):
		return []string{"--map-by", "socket"}, nil
	case at(0) == "block" && at(1) == "block":
		return nil, nil
	}
	return nil, fmt.Errorf("%q: write --map-by node, or --map-by socket", value)
})

var variables = by("--clean-env and -x", func(_ *line, list string) ([]string, error) {
	ours := []string{"--clean-env"}
	for name := range strings.SplitSeq(list, ",") {
		ours = append(ours, "-x", name)
	}
	return ours, nil
})

// export is srun's: all variables, or none but those that are named.
var export = by("-x and --clean-env", func(_ *line, list string) (ours []string, err error) {
	words := strings.Split(list, ",")
	if !slices.Contains(words, "ALL") {
		ours = []string{"--clean-env"}
	}
	for _, word := range words {
		if word != "ALL" && word != "NONE" && word != "NIL" {
			ours = append(ours, "-x", word)
		}
	}
	return ours, nil
})

var input = by("--stdin", func(_ *line, value string) ([]string, error) {
	if _, err := strconv.Atoi(value); err != nil && value != "all" && value != "none" {
		return nil, fmt.Errorf("%q: give pvasrun the file as its input: --stdin all < %s", value, value)
	}
	return []string{"--stdin", value}, nil
})

var openMode = by("is truncate", func(_ *line, value string) ([]string, error) {
	if value != "truncate" && value != "t" {
		return nil, errors.New("files are written anew: append them in the shell, by >> FILE")
	}
	return nil, nil
})

// minutes takes Slurm's times: minutes, minutes:seconds, hours:minutes:seconds, days-hours, and so on.
var minutes = by("--timeout", func(_ *line, value string) ([]string, error) {
	if strings.EqualFold(value, "UNLIMITED") {
		return nil, nil
	}
	bad := fmt.Errorf("%q: write minutes, minutes:seconds or hours:minutes:seconds; --timeout takes 90s or 2m", value)
	days, rest, hasDays := strings.Cut(value, "-")
	if !hasDays {
		days, rest = "0", value
	}
	fields := strings.Split(rest, ":")
	units := [][]uint64{{60}, {60, 1}, {3600, 60, 1}}
	if hasDays {
		units = [][]uint64{{3600}, {3600, 60}, {3600, 60, 1}}
	}
	if len(fields) > len(units) {
		return nil, bad
	}
	day, err := strconv.ParseUint(days, 10, 16)
	if err != nil {
		return nil, bad
	}
	seconds := day * 86400
	for i, field := range fields {
		n, err := strconv.ParseUint(field, 10, 24)
		if err != nil {
			return nil, bad
		}
		seconds += n * units[len(fields)-1][i]
	}
	return []string{"--timeout", strconv.FormatUint(seconds, 10)}, nil
})
