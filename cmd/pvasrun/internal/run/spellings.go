package run

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jessevdk/go-flags"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/launcher"
)

// A spelling is a flag of mpirun or mpiexec, as Open MPI and MPICH have it.
type spelling struct {
	values int // arguments that follow it

	// ours returns the flags of pvasrun that mean the same, none where pvasrun does it
	// anyway, or an error that says what to write instead.
	ours func(values []string) ([]string, error)
}

// spellings are those that people type, without the dashes: one and two are the same.
var spellings = map[string]spelling{
	"np": renamed("-n"), "wd": renamed("--wdir"),
	"oversubscribe": {0, needless}, "allow-run-as-root": {0, needless},
	"genvall": {0, needless}, "envall": {0, needless},
	"env": {2, variable}, "genv": {2, variable},
	"bind-to": {1, bindTo},
	"H":       renamed("--hosts"), "host": renamed("--hosts"), "machinefile": renamed("--hostfile"),
	"f":             renamed("--hostfile"),
	"s":             renamed("--stdin"),
	"launcher-exec": renamed("--rsh"),
	"c":             renamed("-n"), "iface": renamed("--devices"),
	"bynode": fixed("--map-by", "node"), "byslot": fixed("--map-by", "slot"),
	"bycore": fixed("--map-by", "core"), "bysocket": fixed("--map-by", "socket"),
	"bind-to-none": fixed("--bind", "none"), "bind-to-core": fixed("--bind", "core"),
	"bind-to-socket": fixed("--bind", "socket"),
	"cpus-per-proc":  renamed("--cpus-per-rank"), "use-hwthread-cpus": {0, needless},
	"q": {0, needless}, "V": {0, func([]string) ([]string, error) { return []string{"--version"}, nil }},

	"ppn":     refused(1, "write the number behind each host: --hosts a:2,b:2"),
	"perhost": refused(1, "write the number behind each host: --hosts a:2,b:2"),
	"launcher": refused(1,
		"ssh starts pvasrun on the other nodes, or srun in a Slurm allocation: write --rsh CMD for another command"),
	"configfile": refused(1, "write the programs one after another, with \":\" between them"),
	"npernode":   refused(1, "write the number behind each host: --hosts a:2,b:2"),
	"N":          refused(1, "write the number behind each host: --hosts a:2,b:2"),
	"ntasks":     renamed("-n"),
	"nodes":      refused(1, "name the nodes: --hosts a,b (bench --nodes N makes some of its own)"),
	"rankfile":   refused(1, "name the hosts in the order of the ranks, and give each rank its CPUs by --bind LIST"),
	"rf":         refused(1, "name the hosts in the order of the ranks, and give each rank its CPUs by --bind LIST"),
	"rank-by":    refused(1, "ranks are numbered as --map-by deals them"),
	"mca": refused(2,
		"there are no MCA parameters: pvasrun --help shows the flags, such as --btl and --eager-limit"),
	"genvlist":        refused(1, "ranks inherit the whole environment: leave it out, or write -x NAME=VALUE"),
	"output-filename": refused(1, "write --output-dir DIR"),
	"prepend-rank":    refused(0, "write --tag-output"),
	"l":               refused(0, "write --tag-output"),
	"display-map":     refused(0, "write --dry-run, which shows where each rank would run"),
	"display":         refused(1, "write --dry-run, which shows where each rank would run"),
}

func renamed(flag string) spelling {
	return spelling{1, func(values []string) ([]string, error) { return []string{flag, values[0]}, nil }}
}

func refused(values int, advice string) spelling {
	return spelling{values, func([]string) ([]string, error) {
		return nil, fmt.Errorf("pvasrun has no such flag: %s", advice)
	}}
}

func needless([]string) ([]string, error) { return nil, nil }

func variable(values []string) ([]string, error) {
	return []string{"-x", values[0] + "=" + values[1]}, nil
}

func bindTo(values []string) ([]string, error) {
	way := strings.TrimPrefix(values[0], "user:") // MPICH
	if plain, modifier, _ := strings.Cut(way, ":"); modifier == "overload-allowed" || modifier == "if-supported" {
		way = plain // pvasrun does so anyway
	}
	if _, err := launcher.ParseBinding(way); err != nil {
		return nil, fmt.Errorf("%q: write --bind none, core, l3, numa, socket, or a LIST with a CPU or a range for "+
			"each rank", values[0])
	}
	return []string{"--bind", way}, nil
}

func fixed(ours ...string) spelling {
	return spelling{0, func([]string) ([]string, error) { return ours, nil }}
}

// translate replaces the flags of other MPIs in the command line of a job, up to each
// program, by ours.
func translate(args []string) (ours []string, err error) {
	p := flags.NewParser(&Flags{}, flags.None)
	several := slices.Contains(args, ":")
	for {
		own, rest, more := cutAt(args, ":")
		if ours, err = translateApp(p, ours, own, several); err != nil {
			return nil, err
		}
		if !more {
			return ours, nil
		}
		ours, args = append(ours, ":"), rest
	}
}

// translateApp appends the command line of one program, of several or of one, to ours.
func translateApp(p *flags.Parser, ours, args []string, several bool) ([]string, error) {
	for len(args) > 0 && args[0] != "--" && len(args[0]) > 1 && args[0][0] == '-' {
		word, values := args[0], args[1:]
		flag, value, joined := strings.Cut(word, "=")
		name := strings.TrimLeft(flag, "-")
		if opt := cli.OptionNamed(p, flag); opt != nil {
			n := 1
			if cli.TakesValue(opt) && !joined {
				n = min(2, len(args))
			}
			ours, args = append(ours, args[:n]...), args[n:]
			continue
		}
		s, foreign := spellings[name]
		switch {
		case !foreign && p.FindOptionByLongName(name) != nil:
			args = slices.Concat([]string{"-" + word}, values) // -tag-output is --tag-output
			continue
		case !foreign:
			ours, args = append(ours, word), values
			continue
		case name == "genv" && several:
			return nil, fmt.Errorf("%s: with several programs write -x NAME=VALUE before each", flag)
		case joined:
			values = slices.Concat([]string{value}, values)
		}
		if len(values) < s.values {
			return nil, fmt.Errorf("%s: its value is missing", flag)
		}
		same, err := s.ours(values[:s.values])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", flag, err)
		}
		ours, args = append(ours, same...), values[s.values:]
	}
	return append(ours, args...), nil
}
