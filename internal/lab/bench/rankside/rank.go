package rankside

import (
	"fmt"
	"os"
)

// ScanArgs reads the arguments of a rank program. It exits if they are others than usage names:
// numbers are above 0, and those that are no whole ones not below.
func ScanArgs(usage string, args []string, into ...any) {
	ok := len(args) == len(into)
	for i := 0; ok && i < len(into); i++ {
		_, err := fmt.Sscan(args[i], into[i])
		switch v := into[i].(type) {
		case *int:
			ok = err == nil && *v > 0
		case *float64:
			ok = err == nil && *v >= 0
		default:
			ok = err == nil
		}
	}
	if !ok {
		fmt.Fprintf(os.Stderr, "bench: the arguments are to be %s\n", usage)
		os.Exit(2)
	}
}

// RunRank runs a rank program, of those by the name of their benchmark, and returns true, where args (those of the
// process, without its name) ask for one. A rank that fails exits and does not return.
func RunRank(args []string, programs ...map[string]func(args []string)) bool {
	if len(args) < 2 || args[0] != RankCommand {
		return false
	}
	for _, some := range programs {
		if rank := some[args[1]]; rank != nil {
			rank(args[2:])
			return true
		}
	}
	fmt.Fprintf(os.Stderr, "bench: no rank program %q\n", args[1])
	os.Exit(2)
	return true
}

// RankCommand is the first argument that turns the executable into a rank of a
// benchmark; the benchmark's name and its parameters follow.
const RankCommand = "bench-rank"
