package bench

// RankMain runs a rank program and returns true, where args (those of the
// process, without its name) ask for one. A rank that fails exits and does not
// return.
func RankMain(args []string) bool {
	return runRank(args, timedPrograms, memoryPrograms, nasPrograms, neighborsPrograms, costsPrograms, overlapPrograms)
}
