package model

import (
	"errors"
	"fmt"
	"time"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/internal/lab/replay"
	"github.com/gopvas/gopvas/internal/node/topology"
	"github.com/gopvas/gopvas/loggps/show"
)

// PartFlags say which part of a recorded job is looked at.
type PartFlags struct {
	Ranks string     `long:"ranks" env:"PVASRUN_SHOW_RANKS" value-name:"LIST" default-mask:"all" description:"look at these ranks of a recorded job, such as 0-3,8"`
	From  cli.Lapse  `long:"from" env:"PVASRUN_SHOW_FROM" value-name:"DUR" default-mask:"the start" description:"look at a recorded job from this time on, such as 1.5s, since all ranks were through Init"`
	To    *cli.Lapse `long:"to" env:"PVASRUN_SHOW_TO" value-name:"DUR" default-mask:"the end" description:"look at a recorded job until this time"`
}

// part checks the flags.
func (f *PartFlags) part() (p replay.Part, err error) {
	p.From = time.Duration(f.From).Nanoseconds()
	if p.Ranks, err = topology.ParseList(f.Ranks); err != nil {
		return p, fmt.Errorf("--ranks: %q is no list of ranks such as 0-3,8", f.Ranks)
	}
	if f.To == nil {
		return p, nil
	}
	if p.To = time.Duration(*f.To).Nanoseconds(); p.To <= p.From {
		return p, fmt.Errorf("--to: %v is not behind --from %v: give a later time, or leave --to out for the end",
			time.Duration(*f.To), time.Duration(f.From))
	}
	return p, nil
}

// take leaves the rest of a trace out, and says so. It is an error if what stays is too long for a graph.
func (p *Program) take(part replay.Part) error {
	if part.Ranks == nil && part.From == 0 && part.To == 0 {
		return p.fits()
	}
	if p.trace == nil {
		return errors.New("--ranks, --from and --to: only a recorded job has parts: leave them out")
	}
	n := len(p.trace.Ranks)
	if k := len(part.Ranks); k > 0 && part.Ranks[k-1] >= n {
		return fmt.Errorf("--ranks: there is no rank %d: the job has ranks 0 to %d", part.Ranks[k-1], n-1)
	}
	took := replay.Duration(p.trace)
	if part.From >= took {
		return fmt.Errorf("--from: the job ends after %s: give a time before that", show.Time(float64(took)))
	}
	whole, lone := p.trace, 0
	p.trace, lone = part.Of(whole)
	whole.Close()
	p.ranks, p.part = part.Ranks, "all ranks"
	if part.Ranks != nil {
		p.part = fmt.Sprintf("%s of %d", sayRanks(part.Ranks), n)
	}
	until := took
	if part.To > 0 {
		until = min(until, part.To)
	}
	p.part = fmt.Sprintf("only %s, from %s to %s of %s", p.part, show.Time(float64(part.From)),
		show.Time(float64(until)), show.Time(float64(took)))
	if lone > 0 {
		p.part += fmt.Sprintf("; %d messages with ends elsewhere are left out", lone)
	}
	return p.fits()
}
