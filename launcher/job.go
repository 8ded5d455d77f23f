package launcher

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/limits"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/launcher/internal/fate"
	"github.com/gopvas/gopvas/launcher/internal/host"
	"github.com/gopvas/gopvas/launcher/internal/part"
	"github.com/gopvas/gopvas/launcher/internal/streams"
)

// A Job describes what Run starts. The zero value of every field but Apps is
// usable.
type Job struct {
	Apps []App // the programs of the job; their ranks are numbered through in this order

	BTL           string // "auto" or "": one address space where possible; "pvas"; "sm"
	PartitionSize uint64 // pvas: bytes per rank, a power of two; 0: chosen
	// StackSize is the bytes of a rank's stack, its RLIMIT_STACK; math.MaxUint64: unlimited; 0: the limit of this
	// process.
	StackSize uint64
	HugePages job.HugePages // of the memory that ranks share; "": none

	Settings job.Settings // of messages and collectives; the zero value stands for the defaults

	// Strict says that the code of a job that survives failures (Settings.Survive) is that of the first one.
	Strict bool

	// Tuned returns numbers that are better here than the defaults, for those that Settings leaves
	// open; nil: there are none. It is asked when the task model is known. All ranks need the same
	// ones. So a job on several nodes takes those of one task model on all of them: sm if BTL says
	// so, else pvas.
	Tuned func(job.BTL) job.Settings

	// Universe is how many ranks the job may have in all, with those that ranks start and those that have ended. 0: as
	// many as there is room for by default.
	Universe int

	Bind           Binding
	ReportBindings bool // one line per rank on Stderr

	// Stdin is for the rank StdinTo, or for each that the job begins with if that is -1; nil: no input. The others have
	// none. One rank gets an *os.File itself, unless that is a terminal. Of a terminal is read what it waits for.
	// Anything else is read to its end, or until the rank reads no more, also beyond the end of the job.
	Stdin   io.Reader
	StdinTo int
	Stdout  io.Writer // nil: discarded
	Stderr  io.Writer // nil: discarded
	Output  Output    // of ranks

	Timeout       time.Duration // end the job that long after its programs have been found; 0: never
	Deadlock      Deadlock      // what becomes of the job if a deadlock is proved; "": DeadlockEnd
	DeadlockAfter time.Duration // how long ranks must have waited for that; 0: the default
	// HangFile is the file that the report of what ranks wait for is also written to, as JSON; "": none.
	HangFile string

	Signals <-chan os.Signal // to forward, see ForwardedSignals; never closed; nil: none

	// Hold, if not nil, is called when every rank of the job has reached a hold
	// point, with all of them stopped there; they go on when it returns. It is
	// called for HoldInit and then for HoldFinalize, on a goroutine of its own,
	// and not at all for programs that never get there.
	Hold func(job.Hold, Processes)

	// TraceSize is the size of the buffer in which each rank records its calls, in whole
	// pages; 0: it records nothing. Made, if not nil, is called with the job's root block before
	// the first rank starts; the block is valid until Finished has returned.
	TraceSize int
	Made      func(*job.Root) error

	// Started, if not nil, is called once when every rank has been started, while
	// the job runs; it must not block.
	Started func(Processes)

	// Finished, if not nil, is called when every rank has ended, with what they have
	// left in the root block, which is valid until it returns.
	Finished func(*job.Root)

	Log func(format string, args ...any) // prints the messages of -v; nil: nothing

	guest *job.Memory // of a job whose rank 0 is there already: see attend; nil: it is none

	Part *part.Part // the ranks of one node, in a job of several: package cluster sets it
}

// Output says what becomes of the output of ranks, beyond Job.Stdout and Job.Stderr.
type Output = streams.Output

// An App is one program of a job.
type App struct {
	// Program is a binary, looked up in PATH if it has no slash, or a Go package:
	// a directory, or an import path that the go command resolves here. A package
	// is built as a PIE.
	Program string
	Args    []string // without the name of the program
	N       int      // ranks
	Env     []string // added to the environment, "NAME=value"
	NoEnv   bool     // the environment of the supervisor is left out
	Unset   []string // of the environment: names that are left out
	Nice    int      // is added to the niceness of this process
	CPUs    []int    // of all its ranks, instead of what Job.Bind says; nil: that
	Time    bool     // one line for each rank at its end: how long it has run, and the CPU time it has used
	Dir     string   // working directory; "": the supervisor's
}

// Processes are the processes of a running job.
type Processes struct {
	BTL   job.BTL
	Host  int   // pid of the space host
	Ranks []int // pids, by rank

	// Domains is where the ranks of this node run, Numbers are theirs in the job. Partitions is where each has its
	// memory: address and size, zeros if it has an address space of its own. All are nil on a machine with one NUMA
	// node.
	Domains    []job.Domain
	Numbers    []int
	Partitions [][2]uint64

	// SharedBytes is the size of the windows of the rank that has most, as far as
	// ranks have made any. It is 0 before the hold points.
	SharedBytes uint64
}

// Spaces returns one pid for each address space that holds ranks.
func (p Processes) Spaces() []int {
	if p.BTL == job.BTLPvas {
		return []int{p.Host}
	}
	return append([]int(nil), p.Ranks...)
}

// A Result says how a job ended.
type Result struct {
	BTL     job.BTL
	Reason  string        // why "auto" took sm; "" otherwise
	Code    int           // exit code for the command: see Run
	Failure *fate.Failure // the first rank that failed; nil if none did
	HostPid int
	Nodes   []string // names, by number; nil: it was a job of one node
}

// words are the arguments of its ranks, first the program as the user gave it.
func (a *App) words() []string { return append([]string{a.Program}, a.Args...) }

// size returns the number of ranks.
func (j *Job) size() int {
	n := 0
	for _, app := range j.Apps {
		n += app.N
	}
	return n
}

// check refuses descriptions that cannot be run, before anything is started.
func (j *Job) check() error {
	if !j.Part.Idle() {
		if err := j.CheckApps(); err != nil {
			return err
		}
	}
	switch j.BTL {
	case "", btlAuto, btlPvas, btlSM:
	default:
		return fmt.Errorf("launcher: job: unknown BTL %q: use auto, pvas or sm", j.BTL)
	}
	if _, err := j.Settings.Resolve(); err != nil {
		return fmt.Errorf("launcher: job: %w", err)
	}
	if err := CheckStackSize(j.StackSize); err != nil {
		return err
	}
	if hard := sys.HardLimit(sys.RlimitStack); j.StackSize > hard {
		return fmt.Errorf("launcher: job: a stack of %s: the hard limit is %d KiB (ulimit -Hs): raise that, or "+
			"take a smaller stack", host.StackText(j.StackSize), hard>>10)
	}
	if j.DeadlockAfter != 0 {
		if err := CheckDeadlockAfter(j.DeadlockAfter); err != nil {
			return err
		}
	}
	if j.Universe != 0 && (j.Universe < j.Total() || j.Universe > job.MaxRanks) {
		return mistake{fmt.Errorf("launcher: job: a universe of %d ranks: at least the %d ranks of the job are in it, "+
			"and at most %d", j.Universe, j.Total(), job.MaxRanks)}
	}
	if err := j.Output.Check(); err != nil {
		return mistake{fmt.Errorf("launcher: job: output: %w", err)}
	}
	if j.StdinTo < -1 || j.StdinTo >= j.Total() {
		return mistake{fmt.Errorf("launcher: job: input for rank %d: the ranks of the job are 0 to %d", j.StdinTo,
			j.Total()-1)}
	}
	if j.Settings.Survive && j.Part != nil {
		return mistake{errors.New("launcher: job: ranks survive the failure of others on one node only, so far: run " +
			"the job on this node, or leave --survive out")}
	}
	if j.Timeout < 0 {
		return fmt.Errorf("launcher: job: negative time-out %v", j.Timeout)
	}
	if err := limits.Job(j.size(), j.StackSize, j.Output.Piped()); err != nil {
		return fmt.Errorf("launcher: %w", err)
	}
	return nil
}

// SettingsFor returns the settings of a job with ranks in the task model.
func (j *Job) SettingsFor(btl job.BTL) job.Settings {
	if j.Tuned == nil {
		return j.Settings
	}
	return j.Settings.Or(j.Tuned(btl))
}

// Total returns the number of ranks of the whole job, also if this is a node's part of it.
func (j *Job) Total() int {
	if j.Part == nil {
		return j.size()
	}
	return len(j.Part.Nodes)
}

// room returns how many ranks the job is to have at least, and how many it gets room for if that costs nothing.
func (j *Job) room() (need, most int) {
	need = j.Total()
	if j.TraceSize > 0 { // none are started there
		return need, need
	}
	if j.Part != nil {
		most = max(need, j.Part.Places)
		return min(max(need, j.Universe), most), most
	}
	need = max(need, j.Universe)
	if j.Settings.Survive {
		return need, max(need, job.RoomToSurvive)
	}
	return need, max(need, job.UsualRoom)
}

// CheckApps is the part of check that does not depend on this machine.
func (j *Job) CheckApps() error {
	if len(j.Apps) == 0 {
		return errors.New("launcher: job: no program given")
	}
	ranks := 0
	for _, app := range j.Apps {
		if app.Program == "" {
			return mistake{errors.New("launcher: job: a program without a name: an argument is empty")}
		}
		if app.N < 1 {
			return fmt.Errorf("launcher: job: %s: %d ranks: at least 1 is needed", app.Program, app.N)
		}
		if ranks += min(app.N, job.MaxRanks+1); ranks > job.MaxRanks {
			return fmt.Errorf("launcher: job: %s: %d ranks: a job has at most %d in all",
				app.Program, app.N, job.MaxRanks)
		}
	}
	return nil
}

// Names of task models in Job.BTL.
const (
	btlAuto = "auto"
	btlPvas = "pvas"
	btlSM   = "sm"
)

// logf prints for -v.
func (j *Job) logf(format string, args ...any) {
	if j.Log != nil {
		j.Log(format, args...)
	}
}

// LooksAfter returns how long ranks must have waited for a look. It is off by the policy, and with helper threads of
// nonblocking collectives, which work while their ranks wait.
func (j *Job) LooksAfter() (after time.Duration, off bool) {
	return cmp.Or(j.DeadlockAfter, DeadlockAfter), j.Deadlock == DeadlockOff || j.Settings.Helpers != 0
}
