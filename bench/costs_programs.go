package bench

// costsPrograms are the rank programs, by name.
var costsPrograms = map[string]func(args []string){
	"roundtrip":  roundTripRank,
	"distance":   distanceRank,
	"operations": operationsRank,
}
