package bench

// overlapPrograms are the rank programs, by name.
var overlapPrograms = map[string]func(args []string){
	"overlap":       overlapRankMain,
	"overlap_chain": chainRankMain,
	"overlap_graph": graphRankMain,
}
