package bench

// timedPrograms are the rank programs, by name.
var timedPrograms = map[string]func(args []string){
	"p2p":    p2pRankMain,
	"coll":   collRankMain,
	"layout": layoutRankMain,
	"loop":   loopRankMain,
	"calls":  callsRank,
}
