package chaos

import (
	"fmt"
	"math/rand/v2"
	"syscall"
	"time"
)

// A Program is a command line that runs until it is killed.
type Program struct {
	Name     string
	Args     []string
	Native   bool // SEGV kills it; a Go program exits with a trace
	Stubborn bool // takes no notice of TERM
}

// A Harm is what is done to a job.
type Harm int

// Harms. Asks are signals to pvasrun.
const (
	KillRank Harm = iota
	KillHost
	KillPvasrun
	KillBoth // pvasrun and the host
	StopHost // and ask pvasrun to end
	Ask
	AskTwice
	harms
)

func (h Harm) String() string {
	return [...]string{"rank killed", "host killed", "pvasrun killed", "pvasrun and host killed", "host stopped, INT",
		"INT, TERM or HUP", "INT twice"}[h]
}

// A Job is one attack.
type Job struct {
	BTL     string
	Ranks   int
	Program Program
	Harm    Harm
	Signal  syscall.Signal
	After   time.Duration // from the start of pvasrun to the harm
	Victim  int           // of the processes that are there, modulo their number
}

func (j Job) String() string {
	return fmt.Sprintf("--btl %s -n %d %s; %v (%v) after %v", j.BTL, j.Ranks, j.Program.Name, j.Harm, j.Signal, j.After)
}

// NewJob draws a job.
func NewJob(r *rand.Rand, btls []string, programs []Program) Job {
	j := Job{
		BTL: btls[r.IntN(len(btls))], Ranks: 1 + r.IntN(5), Program: programs[r.IntN(len(programs))],
		Harm: Harm(r.IntN(int(harms))), After: moment(r), Victim: r.IntN(1 << 20),
	}
	kills, asks := []syscall.Signal{syscall.SIGKILL}, []syscall.Signal{syscall.SIGINT, syscall.SIGHUP}
	if j.Program.Native {
		kills = append(kills, syscall.SIGSEGV)
	}
	if !j.Program.Stubborn {
		kills, asks = append(kills, syscall.SIGTERM), append(asks, syscall.SIGTERM)
	}
	switch j.Harm {
	case KillRank:
		j.Signal = kills[r.IntN(len(kills))]
	case Ask:
		j.Signal = asks[r.IntN(len(asks))]
	case StopHost, AskTwice:
		j.Signal = syscall.SIGINT
	default:
		j.Signal = syscall.SIGKILL
	}
	return j
}

// moment draws a time: a third while the job starts, a third soon after, a third
// when it is well under way.
func moment(r *rand.Rand) time.Duration {
	longest := []time.Duration{20 * time.Millisecond, 80 * time.Millisecond, 400 * time.Millisecond}[r.IntN(3)]
	return time.Duration(r.Int64N(int64(longest)))
}
