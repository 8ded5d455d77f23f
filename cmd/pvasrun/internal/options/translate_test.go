package options

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// some are a few flags of pvasrun, with whether a value follows.
type some map[string]bool

func (s some) Flag(word string) (known, takesValue bool) {
	takesValue, known = s[word]
	return known, takesValue
}

var ours = some{"-n": true, "--np": true, "-x": true, "-v": false, "--wdir": true, "--tag-output": false,
	"--timeout": true, "--map-by": true, "--stdin": true, "--hosts": true, "--output-dir": true, "--btl": true,
	"--clean-env": false, "--initial-errhandler": true}

// What people type for other launchers means the same here, and what belongs to the program stays as it is.
func TestTranslate(t *testing.T) {
	t.Setenv("SLURM_JOB_ID", "")
	t.Setenv("SLURM_NNODES", "")
	for args, want := range map[string]string{
		"":                            "",
		"-n 4 prog -np 3":             "-n 4 prog -np 3",
		"-np 4 prog":                  "-n 4 prog",
		"--np 4 prog":                 "--np 4 prog",
		"--n 4 prog --n 3":            "-n 4 prog --n 3",
		"-np=4 prog":                  "-n 4 prog",
		"-n4 prog":                    "-n4 prog",
		"-c4 prog":                    "-n 4 prog",
		"--oversubscribe -np 4 p":     "-n 4 p",
		"-oversubscribe prog":         "prog",
		"--with-ft ulfm p":            "--survive p",
		"--with-ft mpi -continuous p": "--survive --survive p",
		"-initial-errhandler MPI_ERRORS_RETURN p": "--initial-errhandler MPI_ERRORS_RETURN p",
		"--bind-to core p":                        "--bind core p",
		"--bind-to l3cache p":                     "--bind l3cache p",
		"-bind-to user:0,2-3 p":                   "--bind 0,2-3 p",
		"--bind-to core:overload-allowed p":       "--bind core p",
		"-bysocket -bind-to-core p":               "--map-by socket --bind core p",
		"--cpus-per-proc 4 p":                     "--cpus-per-rank 4 p",
		"-map-by numa:PE=2 p":                     "--map-by numa:PE=2 p",
		"--use-hwthread-cpus p":                   "p",
		"-H localhost:4 p":                        "--hosts localhost:4 p",
		"-hosts a,b p":                            "--hosts a,b p",
		"-f file p":                               "--hostfile file p",
		"-s all p":                                "--stdin all p",
		"-genv A 1 -genv B x=y p":                 "-x A=1 -x B=x=y p",
		"-genv A 1 -n 1 a : -n 2 b : c":           "-x A=1 -n 1 a : -x A=1 -n 2 b : -x A=1 c",
		"-t UNLIMITED p":                          "p",
		"-genvall p":                              "p",
		"-genvlist A,B p":                         "--clean-env -x A -x B p",
		"-tag-output -timeout 3 p":                "--tag-output --timeout 3 p",
		"-x A -wdir /tmp p -wdir x":               "-x A --wdir /tmp p -wdir x",
		"--wd /tmp p":                             "--wdir /tmp p",
		"-- -np 4":                                "-- -np 4",
		"--output-dir -np -n 1 p":                 "--output-dir -np -n 1 p",
		"-np 1 a : -np 2 -env A 1 b":              "-n 1 a : -n 2 -x A=1 b",
		"-n":                                      "-n",
		"--unknown p":                             "--unknown p",
		"--help":                                  "--help",
		"-V":                                      "--version",
		"-N 2 p":                                  "--per-node 2 p",
		"-N2 p":                                   "--per-node 2 p",
		"-npernode 2 p":                           "--per-node 2 p",
		"--ntasks-per-node=2 p":                   "--per-node 2 p",
		"-npersocket 2 p":                         "--map-by ppr:2:socket p",
		"-rr p":                                   "--per-node 1 p",
		"--rank-by slot p":                        "p",
		"--rank-by node p":                        "--map-by node p",
		"--map-by numa --rank-by numa p":          "--map-by numa p",
		"-t 2 p":                                  "--timeout 120 p",
		"-t2:30 p":                                "--timeout 150 p",
		"--time=1:00:00 p":                        "--timeout 3600 p",
		"-t 1-2:03 p":                             "--timeout 93780 p",
		"-w n[1-2,4] p":                           "--hosts n[1-2,4] p",
		"--export=ALL,A=1,B p":                    "-x A=1 -x B p",
		"--export NONE p":                         "--clean-env p",
		"--cpu-bind=cores p":                      "--bind core p",
		"--cpu-bind=verbose,map_cpu:1,0 p":        "--report-bindings --bind 1,0 p",
		"-m cyclic p":                             "--map-by node p",
		"-m block:cyclic p":                       "--map-by socket p",
		"-usize 8 p":                              "--universe 8 p",
		"-usize INFINITE p":                       "p",
		"-o out.%t p":                             "--output-file out.%r --merge-output p",
		"-o out.%4t -e err.%N p":                  "--output-file out.%0r --error-file err.%h p",
		"--output tag,timestamp p":                "--tag-output --timestamp-output p",
		"--output dir=x:nocopy,merge p":           "--output-dir x --merge-output p",
		"--output x%t p":                          "--output-file x%r --merge-output p",
		"-outfile-pattern o.%r.%h p":              "--output-file o.%r.%h p",
		"-prepend-pattern [%r]%% p":               "--line-prefix [%r]%% p",
		"-l p":                                    "--line-prefix %0r: p",
		"--display map,bind p":                    "--display-map --report-bindings p",
		"--nodes 1 p":                             "p",
		"--propagate --exclusive=user -K1 p":      "p",
		"-i none p":                               "--stdin none p",
		"--bcast=/tmp/x p":                        "--preload /tmp/x p",
		"--map-by node:PE=2 --rank-by node p":     "--map-by node:PE=2 p",
		"-output-filename d:nojobid,nocopy p":     "--output-dir d p",
		"-output-filename d:e p":                  "--output-dir d:e p",
	} {
		got, _, err := Translate(ours, strings.Fields(args))
		require.NoError(t, err, args)
		require.Equal(t, strings.Fields(want), strings.Fields(strings.Join(got, " ")), args)
	}
}

// What cannot mean the same is refused with what to write.
func TestRefused(t *testing.T) {
	t.Setenv("SLURM_NNODES", "")
	for args, says := range map[string]string{
		"-c 2 -n 4 p":                    "-c: -c is the number of ranks",
		"-np":                            "-np: its value is missing",
		"-genv A":                        "-genv: its value is missing",
		"--oversubscribe=1 p":            "--oversubscribe: it takes no value",
		"-t x p":                         `-t: "x": write minutes`,
		"-t 1:2:3:4 p":                   "-t: ",
		"--nodes 2 p":                    "--nodes: name the nodes",
		"--rank-by socket:span p":        `--rank-by: "socket:span": ranks are numbered as --map-by deals them`,
		"-o %n p":                        "-o: ",
		"-o % p":                         "-o: a percent sign ends the pattern",
		"--output tag,xml p":             `--output: "xml": of Open MPI's words`,
		"--display topo p":               `--display: "topo"`,
		"-launcher sge p":                `-launcher: "sge": ssh starts pvasrun`,
		"--cpu-bind=mask_cpu:3 p":        "--cpu-bind: ",
		"-gdb p":                         "-gdb: start the job, and then: pvasrun debug PID",
		"--multi-prog":                   "--multi-prog: the file that names the programs is missing",
		"--app /nowhere/at/all p":        "--app: open /nowhere/at/all",
		"--open-mode=append p":           "--open-mode: files are written anew",
		"-i file p":                      "-i: ",
		"-m cyclic:cyclic p":             "-m: ",
		"--bind-to hwthread p":           `--bind-to: "hwthread": write --bind auto, none, core`,
		"--preload-files a p":            "--preload-files: copy the files",
		"--multi-prog /dev/null":         "--multi-prog: /dev/null: it names no program",
		"-n x --multi-prog file":         "-n x: it is a number of ranks",
		"--multi-prog file x":            `--multi-prog: "x" behind the file`,
		"--app /dev/zero":                "--app: /dev/zero: it has more than 4 MiB",
		"--output xml p":                 `--output: "xml": of Open MPI's words`,
		"-o 1 p":                         `-o: "1" is to srun the rank whose output alone is kept`,
		"-e 0 p":                         `-e: "0" is to srun the rank whose output alone is kept`,
		"--map-by node --rank-by slot p": `--rank-by: "slot": ranks are numbered as --map-by deals them`,
	} {
		_, _, err := Translate(ours, strings.Fields(args))
		require.ErrorContains(t, err, says, args)
	}
}

// What has no effect is told in one line, each with why.
func TestIgnored(t *testing.T) {
	args := "--mca btl ^openib -mca pml ob1 --prefix /usr -n 2 p --mca x y"
	got, warnings, err := Translate(ours, strings.Fields(args))
	require.NoError(t, err)
	require.Equal(t, strings.Fields("-n 2 p --mca x y"), got)
	require.Equal(t, []string{"ignored: --mca btl ^openib, -mca pml ob1 (pvasrun has no MCA parameters); " +
		"--prefix /usr (the nodes run this pvasrun, under the same path)"}, warnings)
	t.Setenv("SLURM_JOB_ID", "7")
	_, warnings, err = Translate(ours, strings.Fields("-c 2 p"))
	require.NoError(t, err)
	require.Len(t, warnings, 1)
	require.Contains(t, warnings[0], "--cpus-per-rank")
}

// Files of programs become programs with ":" between them.
func TestProgramsOfFiles(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		name = filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		return name
	}
	app := file("app", "# comment\n-np 1 a 'x y'\n\n-np 2 b \\\n  c # more\n")
	got, _, err := Translate(ours, []string{"--app", app})
	require.NoError(t, err)
	require.Equal(t, []string{"-n", "1", "a", "x y", ":", "-n", "2", "b", "c"}, got)

	prog := file("prog", "1-2 b %t %o\n0,5 a\n* c\n")
	got, _, err = Translate(ours, []string{"-n", "7", "--multi-prog", prog})
	require.NoError(t, err)
	require.Equal(t, "-n 7 -n 1 a : -n 1 b 1 0 : -n 1 b 2 1 : -n 2 c : -n 1 a : -n 1 c", strings.Join(got, " "))
	got, _, err = Translate(ours, []string{"-c", "3", "--multi-prog", file("of all", "* a\n")})
	require.NoError(t, err)
	require.Equal(t, "-n 3 -n 3 a", strings.Join(got, " "))
	got, _, err = Translate(ours, []string{"-n", "3", "-np", "3", "--multi-prog", file("of all", "* a\n")})
	require.NoError(t, err)
	require.Equal(t, "-n 3 -n 3 -n 3 a", strings.Join(got, " "))
	got, _, err = Translate(ours, []string{"--multi-prog", file("less", "0-1 a\n2 b\n")})
	require.NoError(t, err)
	require.Equal(t, "-n 2 a : -n 1 b", strings.Join(got, " "))
	got, _, err = Translate(ours, []string{"-x", "A=1", "-v", "--wdir=/", "-initial-errhandler=e", "--app",
		file("two", "a\n-x B b\n")})
	require.NoError(t, err)
	require.Equal(t, "-x A=1 -v --wdir=/ --initial-errhandler=e a : -x A=1 --wdir=/ --initial-errhandler=e -x B b",
		strings.Join(got, " "))
	got, _, err = Translate(ours, []string{"p", ":", "--export=A", "--multi-prog", file("less", "0-1 a\n2 b\n")})
	require.NoError(t, err)
	require.Equal(t, "p : --clean-env -x A -n 2 a : --clean-env -x A -n 1 b", strings.Join(got, " "))
	for args, says := range map[string]string{
		"--app " + app + " c":                                 `"c": a file names the programs of the job`,
		"--app " + app + " : c":                               "--app: the file names all programs of the job",
		"--app " + app + " --app " + app:                      "--app: the file names all programs of the job",
		"--app " + file("again", "--app "+app+"\n"):           "--app: a line of a file of programs names no other one",
		"--multi-prog " + file("most", "0-65536 a %t\n"):      "it is for 65537 ranks: a job has at most 65536",
		"--app " + file("long", strings.Repeat("a\n", 1<<17)): "it has 131072 lines: a job has at most 65536",
	} {
		_, _, err := Translate(ours, strings.Fields(args))
		require.ErrorContains(t, err, says, args)
	}
	for text, says := range map[string]string{"0 a\n2 b\n": "no line is for rank 1",
		"0 a ':'\n":      `an argument ":" would divide programs`,
		"0-1 a\n1-2 b\n": "rank 1 is in two lines", "* a\n* b\n": "two lines are for all other ranks",
		"x a\n": `"x": ranks are written as`,
		"0\n":   `"0": write ranks and their program`, "0 'a\n": "a quotation mark is missing"} {
		_, _, err := Translate(ours, []string{"--multi-prog", file("bad", text)})
		require.ErrorContains(t, err, says, text)
	}
}

// All options that the launchers list are known, with one dash and with two.
func TestAllAreKnown(t *testing.T) {
	text, err := os.ReadFile("testdata/names.txt")
	require.NoError(t, err)
	for name := range strings.FieldsSeq(string(text)) {
		word := dashed(name)
		_, own := ours[word]
		_, short := ours["-"+name]
		require.True(t, own || short || byName[name] != nil || slices.Contains(sameHere, name), name)
	}
}

// sameHere are options of others that are flags of pvasrun.
var sameHere = []string{"help", "h", "version", "verbose", "timestamp-output", "report-bindings", "cpus-per-rank",
	"cpu-set", "hostfile", "display-map", "network", "profile", "trace", "rankfile", "universe"}

// Each name stands in the table once, each row says what is done, and has a launcher.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for _, o := range table {
		for name := range strings.FieldsSeq(o.names) {
			require.False(t, seen[name], name)
			seen[name] = true
		}
		require.NotEmpty(t, o.does.text, o.names)
		require.NotEmpty(t, o.by, o.names)
		require.Empty(t, strings.Trim(o.by, "o5his"), o.names)
	}
	for _, launcher := range Launchers() {
		var text strings.Builder
		require.NoError(t, PrintHelp(&text, launcher))
		require.Greater(t, strings.Count(text.String(), "\n"), 20)
	}
	require.True(t, slices.IsSorted(Names()))
}

func FuzzTranslate(f *testing.F) {
	for _, seed := range []string{"-np 4 --mca a b p", "-o %t -e %4t p", "--multi-prog -N2 x : -t 1-2:3 y",
		"-w n[0-9] --export=A,B p"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		args := strings.Fields(text)
		for i, arg := range args { // no file is read
			if strings.Contains(arg, "app") || strings.Contains(arg, "config") || strings.Contains(arg, "multi") {
				args[i] = "p"
			}
		}
		_, _, _ = Translate(ours, args)
	})
}
