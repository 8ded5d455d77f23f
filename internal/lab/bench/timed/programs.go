package timed

// Programs are the rank programs, by name.
var Programs = map[string]func(args []string){
	"p2p":    p2pRankMain,
	"coll":   collRankMain,
	"layout": layoutRankMain,
	"loop":   loopRankMain,
	"calls":  callsRank,
}
