package model

import (
	"slices"

	"github.com/gopvas/gopvas/loggps"
)

// LogGP, as Alexandrov, Ionescu, Schauser and Scheiman have it (1995), is the base of two forms that the paper sets
// beside LogGPS (section 4.5). A message alone takes the same time by all three, up to S.

// loggp1 are the parameters of the form in which no message waits for its receiver. Its overheads are lines, as those
// of short messages are in LogGPS. A residual stays: it is what these lines leave over, and its points beyond S
// count for no message without S.
func loggp1(p loggps.Params) loggps.Params {
	p.Sync, p.Osl, p.Orl = loggps.Unlimited, 0, 0
	return p
}

// loggp2 are the parameters of the form in which a message beyond S waits for its receiver, as in LogGPS. An overhead
// is one constant up to S and another one beyond, which includes the handshake of a long message. All that a byte
// costs is its gap. So is what a residual adds to the overheads of bytes.
func loggp2(p loggps.Params) loggps.Params {
	p.Gs, p.Gl = p.Gs+p.Oss+p.Ors, p.Gl+p.Oss+p.Ors
	p.Oss, p.Ors, p.Osl, p.Orl = 0, 0, 0, 0
	if p.Residual != nil {
		r := *p.Residual
		r.Points = slices.Clone(r.Points)
		for i := range r.Points {
			point := &r.Points[i]
			point.Transit += point.Send + point.Recv
			point.Send, point.Recv = 0, 0
		}
		p.Residual = &r
	}
	return p
}
