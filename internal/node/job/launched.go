package job

import "strconv"

// otherLaunchers are the variables by which launchers tell a process the number of processes, and its own.
var otherLaunchers = []struct{ size, rank string }{
	{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
	{"PMI_SIZE", "PMI_RANK"},
	{"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"},
}

// OtherLauncher tells whether another launcher has started this process as the first of n, and the variable that says
// so. These processes know nothing of one another, and the user wonders: so the first one tells. ok is false in what a
// rank starts.
func OtherLauncher(get func(string) string) (variable string, n int, ok bool) {
	if get(EnvSize) != "" {
		return "", 0, false
	}
	for _, v := range otherLaunchers {
		if n, err := strconv.Atoi(get(v.size)); err == nil && n > 1 && get(v.rank) == "0" {
			return v.size, n, true
		}
	}
	return "", 0, false
}
