package memory

// Programs are the rank programs, by name.
var Programs = map[string]func(args []string){
	"touch":     touchRank,
	"footprint": footprintRankMain,
	"startup":   startupRank,
	"mapping":   mappingRank,
}
