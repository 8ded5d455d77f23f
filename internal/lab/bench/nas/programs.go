package nas

// Programs are the rank programs, by name.
var Programs = map[string]func(args []string){
	"npb":         npbRankMain,
	"npb-threads": threadsRankMain,
}
