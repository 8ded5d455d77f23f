package comm

import (
	"os"

	"github.com/gopvas/gopvas/internal/job"
)

// startedAs is the program that pvasrun started as this rank, "" for a process
// that is no rank. It is taken when the process starts: Init removes PVAS_JOB, and
// programs that a rank starts inherit PVAS_PROGRAM without being it.
var startedAs = func() string {
	if os.Getenv(job.EnvJob) == "" {
		return ""
	}
	return os.Getenv(job.EnvProgram)
}()

// Executable returns the absolute path of the running program, like os.Executable.
// That one can not be used by ranks in one address space: there it names the
// process that hosts them. May be called before Init.
func Executable() (string, error) {
	if startedAs != "" {
		return startedAs, nil
	}
	path, err := os.Executable()
	return path, Wrap("executable", err)
}
