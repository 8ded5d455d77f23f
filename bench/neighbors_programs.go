package bench

// neighborsPrograms are the rank programs, by name.
var neighborsPrograms = map[string]func(args []string){
	"exchange": exchangeRankMain,
}
