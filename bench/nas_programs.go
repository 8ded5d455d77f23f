package bench

// nasPrograms are the rank programs, by name.
var nasPrograms = map[string]func(args []string){
	"npb": npbRankMain,
}
