package sim_test

import (
	"fmt"

	"github.com/gopvas/gopvas/internal/lab/loggps/pattern"
	"github.com/gopvas/gopvas/loggps"
	"github.com/gopvas/gopvas/loggps/sim"
)

// Two ranks that both send before they receive: correct only as long as messages are
// buffered.
func ExampleRun_deadlock() {
	g, err := pattern.Program(2, func(m pattern.Member) {
		m.Send(8, 1-m.Rank)
		m.Recv(8, 1-m.Rank)
	})
	if err != nil {
		panic(err)
	}
	opt := sim.Options{Machine: loggps.Single(loggps.Params{L: 1000, O: 500, Packet: 4096, Sync: 4096})}
	r, err := sim.Run(g, opt)
	if err != nil {
		panic(err)
	}
	fmt.Println(r.Finish)
	opt.Synchronous = true
	_, err = sim.Run(g, opt)
	fmt.Println(err)
	// Output:
	// [2000 2000]
	// sim: deadlock at 1500 ns: these wait for one another in a circle; let one of the ranks receive before it sends, or use nonblocking calls:
	//   rank 0, operation 0: send 8 B to rank 1, tag 0
	//   rank 1, operation 0: send 8 B to rank 0, tag 0
}

// A program on a machine with two CPUs: 8 ranks take turns.
func ExampleShare() {
	g, err := pattern.Program(8, func(m pattern.Member) {
		m.Calc(1_000_000)
		m.Dissemination()
	})
	if err != nil {
		panic(err)
	}
	link := loggps.Single(loggps.Params{L: 1000, O: 500, Packet: 4096, Sync: 4096})
	for _, share := range []*sim.Share{nil, {CPUs: 2, Slice: 100_000, Switch: 2000}} {
		r, err := sim.Run(g, sim.Options{Machine: link, Share: share})
		if err != nil {
			panic(err)
		}
		fmt.Printf("%.2f ms\n", r.Time()/1e6)
	}
	// Output:
	// 1.01 ms
	// 4.12 ms
}
