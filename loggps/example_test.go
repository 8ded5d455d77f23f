package loggps_test

import (
	"fmt"

	"github.com/gopvas/gopvas/loggps"
)

// A message of 20,000 bytes on the paper's Myrinet is longer than S, so its sender waits
// until the receiver is there.
func ExampleParams() {
	link, err := loggps.Preset("myrinet")
	if err != nil {
		panic(err)
	}
	p := link.Params
	for _, k := range []int64{1000, 20_000} {
		fmt.Printf("%d bytes: eager %v, send %.0f ns, arrives after %.0f ns\n", k, p.Eager(k),
			p.SendTime(k, 0), p.CommTime(k, 0))
	}
	fmt.Printf("receiver 1 ms late: send %.0f ns\n", p.SendTime(20_000, 1e6))
	// Output:
	// 1000 bytes: eager true, send 11750 ns, arrives after 39220 ns
	// 20000 bytes: eager false, send 131350 ns, arrives after 340860 ns
	// receiver 1 ms late: send 1123770 ns
}

// LogGOPS is the special case with one overhead and one gap per byte.
func ExampleParseParams() {
	p, err := loggps.ParseParams("L=2500,o=1500,G=6,O=1,S=65535")
	if err != nil {
		panic(err)
	}
	fmt.Println(p.CommTime(100, 0))
	// Output: 6300
}
