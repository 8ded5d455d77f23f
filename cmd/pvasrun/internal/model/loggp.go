package model

import "github.com/gopvas/gopvas/loggps"

// LogGP, as Alexandrov, Ionescu, Schauser and Scheiman have it (1995): a message never waits for its receiver. The
// paper sets two forms of it beside LogGPS (section 4.5).

// loggp1 are the parameters with one overhead o: all that a byte costs is its gap.
func loggp1(p loggps.Params) loggps.Params {
	p = loggp2(p)
	p.Gs, p.Gl = p.Gs+p.Oss+p.Ors, p.Gl+p.Oss+p.Ors
	p.Oss, p.Ors, p.Residual = 0, 0, nil
	return p
}

// loggp2 are the parameters with overheads that grow with the message as those of short ones do.
func loggp2(p loggps.Params) loggps.Params {
	p.Sync, p.Osl, p.Orl = loggps.Unlimited, 0, 0
	return p
}
