package fit_test

import (
	"fmt"

	"github.com/gopvas/gopvas/loggps"
	"github.com/gopvas/gopvas/loggps/fit"
)

// Times made from known parameters give them back.
func Example() {
	link, err := loggps.Preset("fast-ethernet")
	if err != nil {
		panic(err)
	}
	p := link.Params
	var samples []fit.Sample
	for _, k := range fit.Sizes(1 << 16) {
		loop := 1.25 * p.RoundTrip(k, 0) // longer than the round trip
		samples = append(samples,
			fit.Sample{Kind: fit.RoundTrip, Bytes: k, Time: p.RoundTrip(k, 0)},
			fit.Sample{Kind: fit.RoundTrip, Bytes: k, Loop: loop, Time: p.RoundTrip(k, loop)})
		if p.Eager(k) {
			samples = append(samples, fit.Sample{Kind: fit.Send, Bytes: k, Time: p.SendTime(k, 0)})
		}
	}
	r, err := fit.Fit(samples)
	if err != nil {
		panic(err)
	}
	fmt.Printf("L %.0f, o' %.0f, Gs %.2f, Gl %.2f, s %d, S from %d to %d\n",
		r.Params.L, r.Params.O, r.Params.Gs, r.Params.Gl, r.Packet.At, r.Sync.At, r.Sync.Next-1)
	// Output: L 24580, o' 22340, Gs 188.77, Gl 65.09, s 1023, S from 14336 to 16383
}
