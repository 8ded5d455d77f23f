package comm

import (
	"fmt"
	"strconv"

	"github.com/gopvas/gopvas/internal/job"
)

// otherLaunchers are the variables by which launchers tell a process of how many it is one, and which.
var otherLaunchers = []struct{ size, rank string }{
	{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
	{"PMI_SIZE", "PMI_RANK"},
}

// launchedOtherwise says what has happened if another launcher has started this process as one of several:
// they all are jobs of one rank, and the user wonders. The first of them tells. It says "" in
// children of our ranks, which have the rank's variables.
func launchedOtherwise(get func(string) string) string {
	if get(job.EnvSize) != "" {
		return ""
	}
	for _, v := range otherLaunchers {
		if n, err := strconv.Atoi(get(v.size)); err == nil && n > 1 && get(v.rank) == "0" {
			return fmt.Sprintf(
				"comm: init: another launcher has started this program (%s=%d): each of its %d processes "+
					"is a job of one rank; start it by pvasrun or by its mpiexec, or have the launcher "+
					"start pvasrun --pmi", v.size, n, n)
		}
	}
	return ""
}
