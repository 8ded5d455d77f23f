package chaos

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	"github.com/gopvas/gopvas/internal/node/processes"
	"github.com/gopvas/gopvas/internal/node/sys"
)

const (
	// Patience is how long after the harm pvasrun may go on. The grace time of
	// ranks is 2 s.
	Patience = 20 * time.Second
	// leave is how long processes have to vanish when pvasrun has ended.
	leave = 5 * time.Second
	// lasting is how long an ended process may stay unreaped.
	lasting = time.Second
	look    = time.Millisecond // between two looks at /proc
)

// mark names the processes of a job in their environment.
const mark = "PVAS_CHAOS"

// An Outcome is what became of a job.
type Outcome struct {
	Job
	Hit     int // pid that was hit, 0: nobody was there any more
	Code    int // exit code, 128 + signal if pvasrun was killed
	Output  string
	Hang    bool
	Left    []int
	Zombies int
}

// Attack runs a job and does the harm. An error means that the driver failed.
func Attack(pvasrun string, j Job) (Outcome, error) {
	o := Outcome{Job: j}
	setting := fmt.Sprintf("%s=%d.%d", mark, os.Getpid(), time.Now().UnixNano())
	cmd := exec.Command(pvasrun, append([]string{"--btl", j.BTL, "-n", strconv.Itoa(j.Ranks)}, j.Program.Args...)...)
	cmd.Env = append(os.Environ(), setting)
	output := new(bytes.Buffer)
	cmd.Stdout, cmd.Stderr = output, output
	cmd.WaitDelay = leave // what was left may hold the output open
	if err := cmd.Start(); err != nil {
		return o, err
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // the status is looked at below
		close(ended)
	}()
	time.Sleep(j.After) // the moment is meant to be any
	o.harm(cmd.Process.Pid, ended)
	select {
	case <-ended:
	case <-time.After(Patience):
		o.Hang = true
	}
	o.Left = awaitNone(setting)
	for len(marked(setting)) > 0 { // whatever is left must not disturb the next
		for _, pid := range marked(setting) {
			_ = sys.Kill(pid, syscall.SIGKILL)
		}
	}
	<-ended
	o.Output = output.String()
	o.Code = cmd.ProcessState.ExitCode()
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		o.Code = 128 + int(status.Signal())
	}
	return o, nil
}

// awaitNone returns the marked processes that do not vanish.
func awaitNone(setting string) (left []int) {
	for end := time.Now().Add(leave); time.Now().Before(end); time.Sleep(look) {
		if left = marked(setting); len(left) == 0 {
			break
		}
	}
	return left
}

// harm does it, as soon as there is a process to do it to.
func (o *Outcome) harm(pvasrun int, ended <-chan struct{}) {
	switch o.Harm {
	case KillRank:
		o.countZombies(pvasrun)
		o.hit(o.await(pvasrun, ended, false), o.Signal)
	case KillHost:
		o.hit(o.await(pvasrun, ended, true), o.Signal)
	case KillPvasrun:
		o.hit(pvasrun, o.Signal)
	case KillBoth:
		host := o.await(pvasrun, ended, true)
		o.hit(pvasrun, o.Signal)
		o.hit(host, o.Signal)
	case StopHost:
		host := o.await(pvasrun, ended, true)
		o.hit(host, syscall.SIGSTOP)
		o.hit(pvasrun, o.Signal)
	case Ask:
		o.hit(pvasrun, o.Signal)
	case AskTwice:
		o.hit(pvasrun, o.Signal)
		time.Sleep(o.After / 4)
		_ = sys.Kill(pvasrun, o.Signal)
	}
}

func (o *Outcome) hit(pid int, sig syscall.Signal) {
	if pid != 0 && sys.Kill(pid, sig) == nil {
		o.Hit = pid
	}
}

// await waits for the host, or for a rank, and returns its pid; 0 when the job
// ends without one.
func (o *Outcome) await(pvasrun int, ended <-chan struct{}, wantHost bool) int {
	for end := time.Now().Add(Patience); time.Now().Before(end); time.Sleep(look) {
		host, ranks := hostAndRanks(pvasrun)
		switch {
		case wantHost && host != 0:
			return host
		case !wantHost && len(ranks) > 0:
			return ranks[o.Victim%len(ranks)]
		}
		select {
		case <-ended:
			return 0
		default:
		}
	}
	return 0
}

// countZombies counts the children of pvasrun that stay zombies.
func (o *Outcome) countZombies(pvasrun int) {
	zombies := func() map[int]bool {
		found := map[int]bool{}
		for _, p := range processes.Children(pvasrun) {
			if p.Ended() {
				found[p.PID] = true
			}
		}
		return found
	}
	first := zombies()
	for end := time.Now().Add(lasting); len(first) > 0 && time.Now().Before(end); time.Sleep(look) {
		now := zombies()
		for pid := range first {
			if !now[pid] {
				delete(first, pid)
			}
		}
	}
	o.Zombies = len(first)
}
