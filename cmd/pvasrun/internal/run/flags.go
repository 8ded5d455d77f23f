package run

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/jessevdk/go-flags"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/cmd/pvasrun/internal/options"
	"github.com/gopvas/gopvas/cmd/pvasrun/internal/settings"
	"github.com/gopvas/gopvas/internal/msg/coll"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/launcher"
)

const usage = `[flags] PROGRAM [ARGS] [: [flags] PROGRAM [ARGS]]...
  pvasrun info [--json]           what this machine has, and what works on it
  pvasrun info [--json] PROGRAM   which MPI library its ranks get, and whether they can share an address space
  pvasrun bench touch [flags]     page tables: one address space against processes
  pvasrun bench NAME [flags]      other benchmarks; pvasrun bench --help lists them
  pvasrun install-mpi [DIR]       mpicc, mpifort, mpiexec and the library for programs in C, C++, Fortran;
                                  pvasrun uninstall-mpi [DIR] removes them
  pvasrun model fit [flags]       what messages cost here, as parameters of the LogGPS model
  pvasrun tune [flags]            measures which settings are faster here, for the jobs that follow
  pvasrun suci COMMAND            the network between two nodes: serve, ping, bench, stat, key
  pvasrun model run FILE          when each rank is done, by the model
  pvasrun model show FILE         where the time goes, and a page to look at
  pvasrun model exchange [flags]  what several network devices would do for an exchange
  pvasrun trace info FILE         what a job has done that was recorded with --trace FILE;
                                  pvasrun trace --help has more
  pvasrun debug PID ...           gdb for a rank; -v prints the command
  pvasrun man                     this text as a manual page, pvasrun.1
  pvasrun completion SHELL        completion of flags in bash, zsh or fish`

// appFlags belong to one program of a job.
type appFlags struct {
	NP   int      `short:"n" long:"np" env:"PVASRUN_NP" value-name:"N" default-mask:"CPUs this process may use" description:"number of ranks"`
	Env  []string `short:"x" env:"PVASRUN_X" env-delim:"," value-name:"NAME[=VALUE]" description:"give the ranks an environment variable; without a value, the one it has here; repeatable"`
	Bare bool     `long:"clean-env" env:"PVASRUN_CLEAN_ENV" description:"give the ranks none of the variables here but those of -x"`
	Wdir string   `long:"wdir" env:"PVASRUN_WDIR" value-name:"DIR" description:"working directory of the ranks"`
	// MPI 5.0 section 11.5.
	Handler cli.ErrorHandler `long:"initial-errhandler" env:"PVASRUN_INITIAL_ERRHANDLER" default-mask:"mpi_errors_are_fatal" value-name:"NAME" description:"error handler that programs in C and Fortran begin with: mpi_errors_are_fatal, mpi_errors_abort or mpi_errors_return"`
}

// placeFlags say where on its node a rank runs, and tell of it.
type placeFlags struct {
	Bind           cli.Binding `long:"bind" env:"PVASRUN_BIND" default:"auto" value-name:"auto|none|core|l3|numa|socket|LIST" description:"where a rank may run: anywhere (none), within its core, L3 domain, NUMA node or socket, or on entry i of LIST for rank i, such as 0,2,4-7; auto: within what --map-by names, within its core if the CPUs are the job's own, else anywhere"`
	CPUsPerRank    uint        `long:"cpus-per-rank" least:"1" most:"65536; no machine has more" env:"PVASRUN_CPUS_PER_RANK" value-name:"N" default-mask:"1, or --cpus-per-task of Slurm" description:"cores of each rank, for programs with threads; also sets OMP_NUM_THREADS if it is not set"`
	CPUSet         string      `long:"cpu-set" env:"PVASRUN_CPU_SET" value-name:"LIST" default-mask:"those that pvasrun may use" description:"CPUs that the job on this node may use, such as 0-3,8"`
	NoOversub      bool        `long:"no-oversubscribe" env:"PVASRUN_NO_OVERSUBSCRIBE" description:"refuse more ranks than CPUs, or than slots of nodes"`
	ReportBindings bool        `long:"report-bindings" env:"PVASRUN_REPORT_BINDINGS" description:"say on which CPUs each rank may run"`
	DisplayMap     bool        `long:"display-map" env:"PVASRUN_DISPLAY_MAP" description:"say before the start on which node and CPUs each rank will run"`
}

// settings checks and converts the flags that the ranks of a job go by.
func (f *Flags) settings() (job.Settings, error) {
	s, err := f.TunableFlags.Settings()
	if err != nil {
		return s, err
	}
	s.Coll, s.Progress, s.Helpers, s.Check = string(f.Coll), string(f.Progress), int(f.Helpers), f.Check
	if f.Exchange != "auto" {
		s.Exchange = f.Exchange
	}
	if f.BTL == "pvas" && s.SingleCopy == job.SingleCopyCMA &&
		os.Getenv("PVASRUN_BTL")+os.Getenv("PVASRUN_SINGLE_COPY") == "" {
		return s, errors.New("--single-copy cma with --btl pvas: ranks in one address space copy long messages once " +
			"anyway: leave it out, or write --btl sm")
	}
	s.Reproducible = f.Reproducible
	s.Encrypt, s.Synchronous, s.PeerTimeout = f.Encrypt, f.Synchronous, time.Duration(f.PeerTimeout)
	s.Stats, s.Survive, s.Respawn = f.Stats, f.Survive != surviveOff || f.Respawn > 0, int(f.Respawn)
	if f.Respawn > 0 && f.Trace != "" {
		return s, errors.New("--respawn with --trace: a recording has the ranks that are there at the start: " +
			"leave one of them out")
	}
	if f.Synchronous && !f.Check && os.Getenv("PVASRUN_SYNCHRONOUS") == "" { // which model reads, too
		return s, errors.New("--synchronous: it is a part of --check: write --check --synchronous")
	}
	if _, err := coll.ParseChoice(s.Coll); err != nil {
		return s, fmt.Errorf("--coll: %w", err)
	}
	if p := s.PeerTimeout; p < job.LeastPeerTimeout || p > job.MostPeerTimeout {
		return s, fmt.Errorf("--peer-timeout %v: it is %v at least and %v at most", p, job.LeastPeerTimeout,
			job.MostPeerTimeout)
	}
	_, err = s.Resolve()
	return s, err
}

// Values of --survive.
const (
	surviveOff    = "off"
	surviveStrict = "strict"
)

// Flags are the flags of a job. Each can also be set by the environment
// variable that its help names.
type Flags struct {
	appFlags
	settings.TunableFlags
	settings.ProfileFlags
	BTL   string     `long:"btl" env:"PVASRUN_BTL" choice:"auto" choice:"pvas" choice:"sm" default:"auto" description:"task model: one address space (pvas), classic processes (sm), or pvas where it can be and else sm (auto)"`
	Stdin cli.Reader `long:"stdin" env:"PVASRUN_STDIN" value-name:"RANK|all|none" default:"0" description:"the rank that reads the standard input; all: each gets all of it"`
	outputFlags
	placeFlags
	Timeout       *cli.Lapse     `long:"timeout" env:"PVASRUN_TIMEOUT" value-name:"DUR" default-mask:"never" description:"end the job after this time: 90 (seconds), 90s, 2m; 0: never"`
	Survive       string         `long:"survive" env:"PVASRUN_SURVIVE" choice:"on" choice:"strict" choice:"off" optional:"yes" optional-value:"on" default:"off" description:"a rank that fails does not end the job: calls that need it return an error in the others; the exit code is theirs, or with strict that of the first that failed"`
	Respawn       uint           `long:"respawn" most:"16384; a job that survives has no more places" env:"PVASRUN_RESPAWN" value-name:"N" description:"with --survive, which it implies: mpi.Survive on the world has failed ranks started anew in their old places, N in all"`
	Deadlock      string         `long:"deadlock" env:"PVASRUN_DEADLOCK" choice:"end" choice:"report" choice:"off" default:"end" description:"when ranks have waited for 3 s and it is proved that they can never go on: say so and end the job with code 125 (end), say so (report), or do not look (off)"`
	ReportHang    string         `long:"report-hang" env:"PVASRUN_REPORT_HANG" value-name:"FILE" description:"write what the ranks wait for to this file, too, as JSON: at a deadlock, a time-out, QUIT"`
	DeadlockAfter cli.Lapse      `long:"deadlock-after" env:"PVASRUN_DEADLOCK_AFTER" value-name:"DUR" default:"3s" description:"how long ranks have waited when it is looked for a deadlock"`
	Universe      uint           `long:"universe" env:"PVASRUN_UNIVERSE" value-name:"N" default-mask:"256, or the ranks if they are more" description:"the job may have N ranks in all, with those that MPI_Comm_spawn starts and those that have ended; MPI_UNIVERSE_SIZE is N"`
	PartitionSize cli.Size       `long:"partition-size" env:"PVASRUN_PARTITION_SIZE" value-name:"SIZE" default-mask:"64GiB, less for many ranks" description:"address space of a rank, a power of two"`
	StackSize     cli.Stack      `long:"stack-size" env:"PVASRUN_STACK_SIZE" value-name:"SIZE" default-mask:"ulimit -s" description:"stack of a rank, such as 64M, or unlimited"`
	HugePages     string         `long:"huge-pages" env:"PVASRUN_HUGE_PAGES" choice:"transparent" choice:"reserved" default-mask:"none" description:"huge pages for large blocks of the ranks' shared memory in one address space: transparent ones, or those that the administrator has reserved (hugetlbfs)"`
	Coll          cli.Algorithms `long:"coll" env:"PVASRUN_COLL" value-name:"LIST" description:"force algorithms of collectives, such as allreduce=tree,ibcast=chain (with an i: of those that do not block)"`
	Check         bool           `long:"check" env:"PVASRUN_CHECK" description:"make sure, at a cost, that all ranks make the same collective calls, and receive what was sent to them, but for types in exchanges among neighbours, and that accesses to windows do not conflict"`
	Synchronous   bool           `long:"synchronous" env:"PVASRUN_SYNCHRONOUS" description:"with --check: each send waits for its receiver, which finds programs that are correct only thanks to buffers"`
	Reproducible  bool           `long:"reproducible" env:"PVASRUN_REPRODUCIBLE" description:"reductions give the same bits wherever the ranks are, also on several nodes, where that takes longer for long vectors and ranks that are not dealt out in blocks"`
	Progress      cli.Policy     `long:"progress" env:"PVASRUN_PROGRESS" value-name:"POLICY" default-mask:"share in one address space and over nodes, owner else" description:"who progresses nonblocking collectives: ranks of the address space that wait, helpers, and threads that watch the network (share), or each rank its own (owner)"`
	Helpers       uint           `long:"helpers" env:"PVASRUN_HELPERS" value-name:"K" description:"ranks with a thread that progresses nonblocking collectives"`
	Report        string         `long:"report" env:"PVASRUN_REPORT" choice:"none" choice:"pagetable" default:"none" description:"what to report at the end: the job's page tables and memory, and the model's (pagetable)"`
	Stats         bool           `long:"stats" env:"PVASRUN_STATS" description:"report at the end what each rank's messages have cost, by path, and which algorithms did the collective operations"`
	Trace         string         `long:"trace" env:"PVASRUN_TRACE" value-name:"FILE" description:"record what every rank does; pvasrun trace and pvasrun model read it"`
	DryRun        bool           `long:"dry-run" env:"PVASRUN_DRY_RUN" description:"print where every rank would lie in memory; start nothing"`
	Verbose       bool           `short:"v" long:"verbose" env:"PVASRUN_VERBOSE" description:"say what is done, and at the end which algorithms did the collective operations"`
	nodeFlags
	Version func() `long:"version" description:"print the version"`
}

// Apps splits the command line of a job at ":" into its programs.
func (f *Flags) Apps(args []string) ([]launcher.App, error) {
	var apps []launcher.App
	app := f.appFlags
	for {
		own, rest, more := options.FirstProgram(args)
		if len(own) == 0 {
			return nil, cli.Mistake(fmt.Errorf(
				"program %d of the job is missing: write it behind its flags, such as pvasrun -n 4 ./prog",
				len(apps)+1))
		}
		a, err := app.app(own)
		if err != nil {
			return nil, cli.Mistake(err)
		}
		inner, limit := unwrap(a)
		f.limit(limit)
		apps = append(apps, inner)
		if !more {
			return apps, nil
		}
		if app, args, err = parseApp(rest); err != nil {
			return nil, cli.Mistake(fmt.Errorf(
				"after \":\": %w (only -n, -x, --clean-env, --wdir and --initial-errhandler may stand there)", err))
		}
	}
}

// parseApp parses the flags that may stand after ":".
func parseApp(args []string) (f appFlags, rest []string, err error) {
	f.NP = cpus()
	p := flags.NewNamedParser("pvasrun", flags.PassDoubleDash|flags.PassAfterNonOption)
	if _, err := p.AddGroup("Flags", "", &f); err != nil {
		return f, nil, err
	}
	if rest, err = p.ParseArgs(args); err != nil {
		return f, nil, cli.Explain(p, args, err)
	}
	return f, rest, cli.ValuesGiven(p)
}

func (f *appFlags) app(args []string) (launcher.App, error) {
	if f.NP < 1 {
		return launcher.App{}, fmt.Errorf("-n %d: at least one rank is needed", f.NP)
	}
	env, err := resolveEnv(f.Env)
	if err != nil {
		return launcher.App{}, err
	}
	if f.Handler != "" {
		env = append(env, job.EnvErrorHandler+"="+string(f.Handler))
	}
	return launcher.App{Program: args[0], Args: args[1:], N: f.NP, Env: env, NoEnv: f.Bare, Dir: f.Wdir}, nil
}

func countRanks(apps []launcher.App) (n int) {
	for _, app := range apps {
		n += app.N
	}
	return n
}

// resolveEnv turns the arguments of -x into NAME=VALUE.
func resolveEnv(args []string) (env []string, err error) {
	for _, a := range args {
		name, _, given := strings.Cut(a, "=")
		if name == "" {
			return nil, fmt.Errorf("-x %s: no name", a)
		}
		if !given {
			value, set := os.LookupEnv(name)
			if !set {
				fmt.Fprintf(os.Stderr, "pvasrun: -x %s: it is not set here, and so not for the ranks: -x %s=VALUE "+
					"gives it a value\n", a, a)
				continue
			}
			a = name + "=" + value
		}
		env = append(env, a)
	}
	return env, nil
}
