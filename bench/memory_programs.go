package bench

// memoryPrograms are the rank programs, by name.
var memoryPrograms = map[string]func(args []string){
	"touch":     touchRank,
	"footprint": footprintRankMain,
	"startup":   startupRank,
}
