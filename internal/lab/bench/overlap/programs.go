package overlap

// Programs are the rank programs, by name.
var Programs = map[string]func(args []string){
	"overlap":       overlapRankMain,
	"overlap_chain": chainRankMain,
	"overlap_graph": graphRankMain,
}
