package run

import (
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/internal/node/topology"
	"github.com/gopvas/gopvas/launcher"
)

// People put programs such as env and nice before the rank's. These change the process and then become the other
// program, which a task of a shared address space cannot. So pvasrun does what they do, in both task models. What it
// does not know of them it leaves to them; then --btl auto takes classic processes (launcher/internal/program).

// A wrapper does to an app what the program does with its arguments. It returns those that begin with the next
// program; ok is false if it does not know an argument.
type wrapper func(app *launcher.App, args []string) (rest []string, limit time.Duration, ok bool)

var wrappers = map[string]wrapper{
	"env": wrapEnv, "nice": wrapNice, "time": wrapTime, "taskset": wrapTaskset, "timeout": wrapTimeout,
	"stdbuf": wrapStdbuf,
}

// unwrap applies the wrappers before the program of an app. limit is a time limit of theirs, 0 for none.
func unwrap(app launcher.App) (inner launcher.App, limit time.Duration) {
	for {
		w := wrappers[filepath.Base(app.Program)]
		if dir := filepath.Dir(app.Program); w == nil || dir != "." && dir != "/bin" && dir != "/usr/bin" ||
			strings.HasPrefix(app.Program, "./") {
			return app, limit
		}
		next := app
		next.Env = slices.Clone(app.Env)
		rest, most, ok := w(&next, app.Args)
		if !ok || len(rest) == 0 {
			return app, limit
		}
		if most > 0 && (limit == 0 || most < limit) {
			limit = most
		}
		next.Program, next.Args = rest[0], rest[1:]
		app = next
	}
}

// option reads an option that takes a value: "-n 5", "-n5", "--adjustment=5". It returns the arguments behind it.
func option(args []string, short, long string) (value string, rest []string, ok bool) {
	word := args[0]
	switch {
	case (word == short || word == long) && len(args) > 1:
		return args[1], args[2:], true
	case strings.HasPrefix(word, long+"="):
		return word[len(long)+1:], args[1:], true
	case strings.HasPrefix(word, short) && !strings.HasPrefix(word, "--") && len(word) > len(short):
		return word[len(short):], args[1:], true
	}
	return "", args, false
}

func wrapEnv(app *launcher.App, args []string) ([]string, time.Duration, bool) {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") && args[0] != "--" {
		if slices.Contains([]string{"-", "-i", "--ignore-environment"}, args[0]) {
			app.NoEnv, app.Env, args = true, nil, args[1:]
			continue
		}
		if value, rest, ok := option(args, "-u", "--unset"); ok {
			app.Env = slices.DeleteFunc(app.Env, func(kv string) bool { return strings.HasPrefix(kv, value+"=") })
			app.Unset, args = append(slices.Clone(app.Unset), value), rest
			continue
		}
		value, rest, ok := option(args, "-C", "--chdir")
		if !ok {
			return nil, 0, false
		}
		app.Dir, args = filepath.Join(app.Dir, value), rest
		if filepath.IsAbs(value) {
			app.Dir = value
		}
	}
	for args = afterDashes(args); len(args) > 0 && strings.Contains(args[0], "="); {
		app.Env, args = append(app.Env, args[0]), args[1:]
	}
	return args, 0, true
}

func wrapNice(app *launcher.App, args []string) ([]string, time.Duration, bool) {
	by := 10 // as nice says
	for len(args) > 0 && strings.HasPrefix(args[0], "-") && args[0] != "--" {
		value, rest, ok := option(args, "-n", "--adjustment")
		if !ok { // nice -5
			value, rest = args[0][1:], args[1:]
		}
		n, err := strconv.Atoi(value)
		if err != nil {
			return nil, 0, false
		}
		by, args = n, rest
	}
	app.Nice += by
	return afterDashes(args), 0, true
}

func afterDashes(args []string) []string {
	if len(args) > 0 && args[0] == "--" {
		return args[1:]
	}
	return args
}

func wrapTime(app *launcher.App, args []string) ([]string, time.Duration, bool) {
	if len(args) > 0 && (args[0] == "-p" || args[0] == "--portability") {
		args = args[1:]
	}
	if len(args) == 0 || strings.HasPrefix(args[0], "-") && args[0] != "--" {
		return nil, 0, false
	}
	app.Time = true
	return afterDashes(args), 0, true
}

func wrapTaskset(app *launcher.App, args []string) ([]string, time.Duration, bool) {
	parse := parseMask
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		if args[0] != "-c" && args[0] != "--cpu-list" {
			return nil, 0, false
		}
		parse, args = parseList, args[1:]
	}
	if len(args) == 0 {
		return nil, 0, false
	}
	cpus, ok := parse(args[0])
	app.CPUs = cpus
	return args[1:], 0, ok && len(cpus) > 0
}

// mostCPUs bounds what a list or a mask may name.
const mostCPUs = sys.MostCPU + 1

// parseMask parses "0x5", a mask in base 16 of any length.
func parseMask(text string) (cpus []int, ok bool) {
	digits := strings.ReplaceAll(strings.TrimPrefix(text, "0x"), ",", "")
	if digits == "" || len(digits) > mostCPUs/4 {
		return nil, false
	}
	for i := range len(digits) {
		digit, err := strconv.ParseUint(digits[len(digits)-1-i:len(digits)-i], 16, 4)
		if err != nil {
			return nil, false
		}
		for ; digit != 0; digit &= digit - 1 {
			cpus = append(cpus, 4*i+bits.TrailingZeros64(digit))
		}
	}
	return cpus, true
}

// parseList parses "0,4-6".
func parseList(text string) (cpus []int, ok bool) {
	cpus, err := topology.ParseList(text)
	return cpus, err == nil
}

// wrapTimeout makes a time limit of the job: what one rank has not done by then ends all of them anyway.
func wrapTimeout(_ *launcher.App, args []string) ([]string, time.Duration, bool) {
	if args = afterDashes(args); len(args) == 0 {
		return nil, 0, false
	}
	number := strings.TrimRight(args[0], "smhd")
	unit, known := map[string]time.Duration{"": time.Second, "s": time.Second, "m": time.Minute, "h": time.Hour,
		"d": 24 * time.Hour}[args[0][len(number):]]
	n, err := strconv.ParseFloat(number, 64)
	const most = 1 << 31 // seconds
	if err != nil || !known || n < 0 || n*unit.Seconds() > most {
		return nil, 0, false
	}
	return args[1:], time.Duration(n * float64(unit)), true
}

// wrapStdbuf makes a rank load stdbuf's own library, which reads its variables.
func wrapStdbuf(app *launcher.App, args []string) ([]string, time.Duration, bool) {
	library := stdbufLibrary()
	if library == "" {
		return nil, 0, false
	}
	streams := []struct{ short, long, variable string }{
		{"-i", "--input", "_STDBUF_I"}, {"-o", "--output", "_STDBUF_O"}, {"-e", "--error", "_STDBUF_E"},
	}
	for len(args) > 0 && strings.HasPrefix(args[0], "-") && args[0] != "--" {
		known := false
		for _, s := range streams {
			if value, rest, ok := option(args, s.short, s.long); ok {
				app.Env, args, known = append(app.Env, s.variable+"="+value), rest, true
				break
			}
		}
		if !known {
			return nil, 0, false
		}
	}
	if before := os.Getenv("LD_PRELOAD"); before != "" {
		library += ":" + before
	}
	app.Env = append(app.Env, "LD_PRELOAD="+library)
	return afterDashes(args), 0, true
}

// stdbufLibrary is where stdbuf has its library.
func stdbufLibrary() string {
	for _, pattern := range []string{"/usr/libexec/coreutils/libstdbuf.so", "/usr/lib*/coreutils/libstdbuf.so",
		"/usr/lib/*/coreutils/libstdbuf.so"} {
		if found, _ := filepath.Glob(pattern); len(found) > 0 {
			return found[0]
		}
	}
	return ""
}

// limit takes a time limit of a wrapper, unless the job has a shorter one.
func (f *Flags) limit(d time.Duration) {
	if own := f.Timeout; d > 0 && (own == nil || *own == 0 || time.Duration(*own) > d) {
		f.Timeout = new(cli.Lapse(d))
	}
}
