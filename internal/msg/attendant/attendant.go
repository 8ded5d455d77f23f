package attendant

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/processes"
	"github.com/gopvas/gopvas/internal/node/sys"
)

// An Attendant is the pvasrun that a job of one rank has when it needs one.
type Attendant struct {
	memory *job.Memory
	over   func()
	limit  time.Duration // for its answer
	mu     sync.Mutex
	there  bool
}

// New returns the attendant of the job with this memory, which this process is alone in. It is not there yet. over is
// called if it has been there, and has ended.
func New(memory *job.Memory, over func()) *Attendant {
	return &Attendant{memory: memory, over: over, limit: startLimit}
}

// Call returns when it is there: when it answers at the desk of the job. A nil Attendant is always there.
func (a *Attendant) Call() error {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.there {
		return nil
	}
	path, err := find(os.Getenv("PATH"))
	if err != nil {
		return err
	}
	news, pid, err := start(path, a.memory.File())
	if err != nil {
		return fmt.Errorf("start %s: %w", path, err)
	}
	in := bufio.NewReader(news)
	_ = news.SetReadDeadline(time.Now().Add(a.limit)) // never fails: it is a pipe
	said, err := in.ReadString('\n')
	if err != nil {
		sys.Kill(pid, syscall.SIGKILL)
	}
	_, _ = sys.WaitPid(pid) // an error: the program has waited for it
	if said = strings.TrimSpace(said); err != nil || said != "" {
		_ = news.Close()
		if errors.Is(err, os.ErrDeadlineExceeded) {
			said = fmt.Sprintf("it has not answered within %v", a.limit)
		}
		return fmt.Errorf("%s: %s", path, cmp.Or(said, "it does not serve programs that it has not started: "+
			"use pvasrun of the version of gopvas that the program or its MPI library is of"))
	}
	_ = news.SetReadDeadline(time.Time{})
	a.there = true
	go func() {
		_, _ = io.Copy(io.Discard, in) // nothing more is written: its end is that of pvasrun
		a.over()
	}()
	return nil
}

// startLimit is how long pvasrun may take until it answers, as on another node.
const startLimit = 30 * time.Second

// start starts pvasrun for the job of a file. It returns what pvasrun says: a line, which is empty if it is ready, and
// the end at its end. What is started here, with a process ID that is returned, starts pvasrun proper and ends at once:
// a program may wait for all of its children, and pvasrun waits for the program.
func start(path string, memory *os.File) (news *os.File, pid int, err error) {
	news, tell, err := os.Pipe()
	if err != nil {
		return nil, 0, err
	}
	defer tell.Close()
	null, err := os.Open(os.DevNull)
	if err == nil {
		defer null.Close()
		files := []*os.File{null, os.Stdout, os.Stderr, memory, tell}
		pid, err = sys.Start(path, []string{job.AttendantName}, os.Environ(), "", files, nil)
	}
	if err != nil {
		_ = news.Close()
		return nil, 0, err
	}
	return news, pid, nil
}

// find returns the path of pvasrun: beside the file that has this code, which is the MPI library or a program in Go, or
// in one of the folders of PATH.
func find(folders string) (string, error) {
	const name = "pvasrun"
	var dirs []string
	own := uint64(reflect.ValueOf(find).Pointer())
	for _, code := range processes.CodeOf(os.Getpid()) {
		if code.Holds(own) {
			dir := filepath.Dir(code.Path)
			dirs = append(dirs, dir, filepath.Join(filepath.Dir(dir), "bin")) // the second: as install-mpi has it
		}
	}
	for _, dir := range append(dirs, filepath.SplitList(folders)...) {
		if !filepath.IsAbs(dir) {
			continue
		}
		path, err := exec.LookPath(filepath.Join(dir, name))
		if err == nil {
			return path, nil
		}
	}
	return "", errors.New("this needs pvasrun, which is neither beside the MPI library or the program nor in PATH: " +
		"install it, or start the program by it")
}
