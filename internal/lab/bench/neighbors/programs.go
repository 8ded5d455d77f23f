package neighbors

// Programs are the rank programs, by name.
var Programs = map[string]func(args []string){
	"exchange": exchangeRankMain,
}
