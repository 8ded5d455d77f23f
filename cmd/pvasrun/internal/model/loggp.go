package model

import (
	"slices"

	"github.com/gopvas/gopvas/loggps"
)

// LogGP, as Alexandrov, Ionescu, Schauser and Scheiman have it (1995): a message never waits for its receiver. The
// paper sets two forms of it beside LogGPS (section 4.5). Bytes to one receiver share its bandwidth, as in LogGPS, and
// so do bytes from one sender: their gap holds at both ends.

// loggp1 are the parameters with one overhead o: all that a byte costs is its gap. So is what a residual adds to the
// overheads of bytes.
func loggp1(p loggps.Params) loggps.Params {
	p = loggp2(p)
	p.Gs, p.Gl = p.Gs+p.Oss+p.Ors, p.Gl+p.Oss+p.Ors
	p.Oss, p.Ors = 0, 0
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

// loggp2 are the parameters with overheads that grow with the message as those of short ones do. A residual stays: it
// is what these lines leave over, and its points beyond S count for no message without S.
func loggp2(p loggps.Params) loggps.Params {
	p.Sync, p.Osl, p.Orl = loggps.Unlimited, 0, 0
	return p
}
