package bench

import (
	"fmt"
	"os"
)

// RankCommand is the first argument that turns the executable into a rank of a
// benchmark; the benchmark's name and its parameters follow.
const RankCommand = "bench-rank"

// ranks are the rank programs by the name of their benchmark.
var ranks = map[string]func(args []string){
	"touch":     touchRank,
	"p2p":       p2pRankMain,
	"coll":      collRankMain,
	"layout":    layoutRankMain,
	"loop":      loopRankMain,
	"footprint": footprintRankMain,
	"npb":       npbRankMain,
	"startup":   startupRank,
	"exchange":  exchangeRankMain,
	"roundtrip": roundTripRank,
	"calls":     callsRank,
	"distance":  distanceRank,

	"operations": operationsRank,

	"overlap":       overlapRankMain,
	"overlap_chain": chainRankMain,
	"overlap_graph": graphRankMain,
}

// scanArgs reads the arguments of a rank program. It exits if they are others than usage names:
// numbers are above 0, and those that are no whole ones not below.
func scanArgs(usage string, args []string, into ...any) {
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

// RankMain runs a rank program and returns true, where args (those of the
// process, without its name) ask for one. A rank that fails exits and does not
// return.
func RankMain(args []string) bool {
	if len(args) < 2 || args[0] != RankCommand {
		return false
	}
	rank, known := ranks[args[1]]
	if !known {
		fmt.Fprintf(os.Stderr, "bench: no rank program %q\n", args[1])
		os.Exit(2)
	}
	rank(args[2:])
	return true
}
