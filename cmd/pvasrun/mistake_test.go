package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/internal/test/testkit"
)

// offered are the words with which a command line may go on.
func offered(t *testing.T, args ...string) []string {
	t.Helper()
	return strings.Fields(command(t, env("GO_FLAGS_COMPLETION=1"), args...).stdout)
}

// commandsWithFlags are all commands, with the arguments that must come before flags.
func commandsWithFlags(t *testing.T) [][]string {
	list := [][]string{nil, {"info"}, {"completion"}, {"tune"}}
	for _, name := range offered(t, "bench", "") {
		if name == "npb" {
			name += " is"
		}
		list = append(list, append([]string{"bench"}, strings.Fields(name)...))
	}
	require.Greater(t, len(list), 20)
	return list
}

// foreign are words of go-flags, strconv and Go's types.
var foreign = regexp.MustCompile(
	"strconv|(main|cli|run|bench|model|setup)\\.[A-Za-z]|invalid (syntax|argument)|" +
		"\\bu?int\\b|\\bfloat64|\\bstring\\b|\\[\\]|`|Allowed|expected")

// Whatever value any flag of any command is given, the message is ours: it names the flag
// and what was given.
func TestMistakesInFlags(t *testing.T) {
	values := []string{"garbage", "-1", "8,x", "1e400", "99999999999999999999", `"`, ""}
	refused, i := map[string]int{}, 0
	for _, words := range commandsWithFlags(t) {
		for _, flag := range offered(t, append(words, "--")...) {
			i++
			for _, value := range testkit.Turn(i, values...) {
				args := append(words[:len(words):len(words)], flag+"="+value, "--no-such-flag")
				err := execute(args)
				require.ErrorAs(t, err, new(cli.UsageError), args)
				require.NotRegexp(t, foreign, err.Error(), args)
				if strings.Contains(err.Error(), "--no-such-flag") {
					continue // the value is one
				}
				refused[value]++
				require.Contains(t, err.Error(), flag+": ", args)
				if !strings.Contains(err.Error(), "it takes no value") && value != `"` {
					item := value[strings.LastIndex(value, ",")+1:]
					require.Regexp(t, fmt.Sprintf(`"(8,)?%s"`, item), err.Error(), args)
				}
			}
			if flag == "--help" || flag == "--version" {
				continue
			}
			err := execute(append(words[:len(words):len(words)], flag, "--no-such-flag"))
			require.NotRegexp(t, foreign, err.Error(), flag)
			require.Regexp(t, "its value is missing: write "+flag+"|no-such-flag", err.Error())
		}
	}
	for _, value := range values {
		require.Greater(t, refused[value], 20, value)
	}
}

// What is expected is said, and where a value comes from that is not an argument.
func TestMistakesAreExplained(t *testing.T) {
	recorded := filepath.Join(t.TempDir(), "job.trace")
	require.NoError(t, os.WriteFile(recorded, []byte("gopvastr"), 0o600))
	for args, says := range map[string]string{
		"-n x true":                   `-n, --np: "x" is not a whole number: write for example --np 4`,
		"-n":                          `-n, --np: its value is missing: write --np 4`,
		"--np --json":                 `-n, --np: its value is missing: write --np 4`,
		"--helpers -1 true":           `--helpers: "-1" is below 0: write for example --helpers 4`,
		"--helpers --json":            `--helpers: its value is missing: write --helpers 4`,
		"model run --S -1":            `--S: "-1" is not a size: write for example 4096`,
		"--helpers=-1 true":           `--helpers: "-1" is below 0: write for example --helpers 4`,
		"--spin 9223372036854775808":  `--spin: "9223372036854775808" is too large: write for example --spin 32000`,
		"--btl udp true":              `--btl: "udp": write auto, pvas or sm`,
		"-x":                          `-x: its value is missing: write -x NAME[=VALUE]`,
		"--verbose=1":                 `-v, --verbose: it takes no value`,
		"-n 1 true : -n x true":       `after ":": -n, --np: "x" is not a whole number`,
		"-n 1 true : --btl sm true":   `after ":": there is no flag --btl`,
		"-j":                          `there is no flag -j: pvasrun --help shows those there are`,
		"--Z true -Zfoo":              `there is no flag --Z: is -Z meant? pvasrun --help shows all`,
		"-bootstraps ssh true":        `there is no flag -bootstraps: is --bootstrap meant? pvasrun --help shows all`,
		"bench bw --nothing":          `there is no flag --nothing: pvasrun bench bw --help shows`,
		"bench diff --alpha x":        `--alpha: "x" is not a number: write for example --alpha 0.05`,
		"bench all -o":                `-o, --output: its value is missing: write --output results.jsonl`,
		`bench bw --compare "openmpi`: `--compare: its value begins with a quotation mark`,
		"bench reduce --sizes 8,12":   `--sizes: 12: reduce combines numbers of 8 bytes`,
		"--bind 0,x true":             `--bind: launcher: binding "0,x": "x" is no CPU number from 0 to`,
		"--progress x true":           `--progress: "x": write share or owner`,
		"--report foo true":           `--report: "foo": write none or pagetable`,
		"--respawn 1 --trace t true":  `--respawn with --trace: a recording has the ranks that are there at the start`,
		"--cpus-per-rank -1 true":     `--cpus-per-rank: "-1" is below 1: write for example --cpus-per-rank 4`,
		"--coll x true":               `--coll: "x" is not of the form operation=algorithm`,
		"--nodes 2 true":              `--nodes: name the nodes: --hosts a,b`,
		"bench all --compare " +
			"lam": `--compare: "lam" is not a list of mpich, openmpi, each once: write for example openmpi`,
		"--eager-limit 1T true":    `--eager-limit: 1099511627776 is more than 65536: longer messages`,
		"--ring-block 5000 true":   `ring block of 5000 bytes is no multiple of`,
		"--ring-block 0 true":      `--ring-block: 0 is below 4096`,
		"--eager-limit 0 true":     `--eager-limit: 0 is below 1`,
		"bench bw --eager-limit 0": `--eager-limit: 0 is below 1`,
		"bench bw --ring-block 0":  `--ring-block: 0 is below 4096`,
		"--bind= true":             `--bind: its value is empty: write --bind auto`,
		"--coll= true":             `--coll: its value is empty: write --coll LIST`,
		"--hosts= true":            `--hosts: its value is empty: write --hosts LIST`,
		"--network= true":          `--network: its value is empty: write --network PREFIX`,
		"--network foo true":       `--network "foo": write for example 10.1.0.0/16`,
		"--node-timeout 0 true":    `--node-timeout 0s: at least 100ms are needed`,
		"bench bw --btl pvas,pvas": `--btl: "pvas,pvas" is not a list of task models, each once`,
		"model fit --rate x":       `--rate: "x" is no rate: write for example 100M or 1G`,
		"model fit --nodes x":      `--nodes: "x" is not a whole number`,
		"model fit -o -":           `-: write /dev/stdout for standard output`,

		"bench lam -n 2":             `bench: there is no benchmark "lam": name a benchmark: all, `,
		"bench":                      `bench: name a benchmark: all, `,
		"model shwo f":               `model: there is no command "shwo": say what to do: pvasrun model fit`,
		"trace x":                    `trace: there is no command "x": say what to do: pvasrun trace info`,
		"suci fly":                   `suci: there is no command "fly": name a command: bench, key`,
		"info nothing":               `info: exec: "nothing": executable file not found in $PATH: name a program`,
		"info ./commands.go":         `permission denied: name a program; chmod +x ./commands.go makes it one`,
		"info .":                     `info: . is a folder with Go code: go build -buildmode=pie -o NAME builds`,
		"info internal":              `info: internal is a folder: name a program`,
		"info commands.go":           `not found in $PATH: a program of this directory is ./commands.go`,
		"info " + recorded:           `info: ` + recorded + ` is a trace: pvasrun trace info ` + recorded,
		"--trace /no/file true":      `stat /no: no such file or directory: name a file of a folder that is there`,
		"--hosts , true":             `host "": that is no name of a host: write for example node1:4`,
		"--hostfile /no/file true":   `no such file or directory: name a file with a host on each line`,
		"--hostfile . true":          `is a directory: name a file with a host on each line, such as node1 slots=4`,
		"--hostfile /dev/null true":  `it names no host: name a file with a host on each line`,
		"-n 2":                       `program 1 of the job is missing: write it behind its flags`,
		"info --hosts a true":        `info: true beside --hosts or --hostfile: it looks at a program on this node`,
		"info true --hostfile a":     `info: true beside --hosts or --hostfile`,
		"info true false":            `info: unexpected argument "false": name one program`,
		"suci":                       `suci: name a command: bench, key`,
		"completion csh":             `completion: there is no shell "csh": name one: bash, zsh or fish`,
		"completion bash zsh":        `completion: there is no shell "bash zsh": name one`,
		"completion":                 `completion: name one: bash, zsh or fish`,
		"--stack-size 1 true":        `--stack-size: launcher: job: a stack of 1 bytes is too small`,
		"--deadlock-after 1ms true":  `--deadlock-after: launcher: job: to look for a deadlock`,
		"--partition-size 4096 true": `--partition-size: pvas: create: partition size must be`,

		"--btl pvas --single-copy " +
			"cma true": `--single-copy cma with --btl pvas: ranks in one address space copy long messages once anyway`,
	} {
		err := execute(strings.Fields(args))
		require.ErrorAs(t, err, new(cli.UsageError), args)
		require.ErrorContains(t, err, says, args)
	}
	require.EqualError(t, execute([]string{"info", ""}),
		"info: the name of the program is empty: name one, or leave it out for this machine")
	for _, command := range []string{"tune", "bench touch", "model fit"} { // pvasrun stands before it
		require.EqualError(t, execute(append(strings.Fields(command), "a")), command+`: unexpected argument "a"`)
	}

	t.Setenv("PVASRUN_EAGER_LIMIT", "0")
	require.ErrorContains(t, execute([]string{"true"}), `--eager-limit from PVASRUN_EAGER_LIMIT: 0 is below 1`)
	t.Setenv("PVASRUN_NP", "many")
	t.Setenv("PVASRUN_BTL", "udp")
	require.ErrorContains(t, execute([]string{"--btl", "sm", "true"}),
		`-n, --np from PVASRUN_NP: "many" is not a whole number`)
	require.ErrorContains(t, execute([]string{"-n1", "true"}), `--btl from PVASRUN_BTL: "udp": write auto`)
	require.ErrorContains(t, execute([]string{"-nx", "true"}), `-n, --np: "x" is not`)
}
