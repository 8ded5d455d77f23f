package loggps

import "fmt"

// An Operation is what a collective operation takes by one algorithm: an extension that is not in
// the paper. Members that meet in shared memory send no messages. Where an algorithm sends some,
// they are interleaved with work that the parameters of a link do not know. So the time of a call is
// measured as a whole, from when the last of the members that it waits for has called.
type Operation struct {
	Name   string           `json:"name"`   // operation=algorithm
	Ranks  int              `json:"ranks"`  // members of the calls that were measured
	Points []OperationPoint `json:"points"` // in order of Bytes
}

// An OperationPoint is the time of a call.
type OperationPoint struct {
	Bytes int64   `json:"bytes"` // of the vector, or of the block of one member
	Time  float64 `json:"ns"`
}

// At returns the time of a call of so many bytes. Between points lines are drawn. The last line goes
// on beyond them, unless it falls.
func (o *Operation) At(bytes int64) float64 {
	p := o.Points
	switch {
	case len(p) == 0:
		return 0
	case len(p) == 1 || bytes <= p[0].Bytes:
		return p[0].Time
	}
	i := 1
	for i < len(p)-1 && p[i].Bytes < bytes {
		i++
	}
	a, b := p[i-1], p[i]
	slope := (b.Time - a.Time) / float64(b.Bytes-a.Bytes)
	if bytes > b.Bytes {
		slope = max(slope, 0)
	}
	return b.Time + slope*float64(bytes-b.Bytes)
}

// check reports an operation that cannot have been measured.
func (o *Operation) check() error {
	last := int64(-1)
	for _, p := range o.Points {
		if p.Bytes <= last || p.Bytes > maxOperationBytes || !(p.Time >= 0 && p.Time <= mostOperation) {
			return fmt.Errorf("loggps: operation %s of %d bytes: want points in order of size, of 0 to %v ns", o.Name,
				p.Bytes, float64(mostOperation))
		}
		last = p.Bytes
	}
	if o.Ranks < 1 || len(o.Points) == 0 {
		return fmt.Errorf("loggps: operation %s of %d ranks with %d points: want one of each at least", o.Name,
			o.Ranks, len(o.Points))
	}
	return nil
}

// What is beyond these was not measured: a day, in ns, and 2^45 bytes.
const (
	mostOperation     = 24 * 3600 * 1e9
	maxOperationBytes = 1 << 45
)
