package launcher

import "github.com/gopvas/gopvas/internal/sys"

// Descriptors the supervisor needs: the reading ends of a rank's two output
// pipes, and those of the job as a whole, with room.
const (
	filesPerRank = 2
	filesOfJob   = 64
)

// checkFiles refuses a job that would run out of descriptors half-way. The Go
// library has raised the soft limit to the hard one.
func (j *Job) checkFiles() error {
	need := uint64(filesOfJob + len(j.Apps))
	if j.OutputDir == "" {
		need += uint64(j.size()) * filesPerRank
	}
	have := sys.SoftLimit(sys.RlimitNofile)
	if have >= need {
		return nil
	}
	return &LimitError{
		Limit: "the hard limit on open files (RLIMIT_NOFILE, ulimit -Hn)", Have: have, Need: need,
		Fix: "raise it, start fewer ranks, or use --output-dir, which needs none per rank",
	}
}
