package costs

// Programs are the rank programs, by name.
var Programs = map[string]func(args []string){
	"roundtrip":  roundTripRank,
	"distance":   distanceRank,
	"operations": operationsRank,
}
