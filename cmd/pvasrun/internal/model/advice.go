package model

import (
	"fmt"

	"github.com/gopvas/gopvas/loggps/show"
	"github.com/gopvas/gopvas/loggps/sim"
)

const (
	leastAdvice = 0.99 // of the time: less is no advice
	mostAdvised = 4e6  // events or operations of a program that is simulated again
)

// advise says what a program would take that cuts its messages so that no sender waits for a receiver.
func (p *Program) advise(whole *show.Prediction, opt sim.Options) []string {
	least := opt.Machine.Links[0].Params.Sync
	for _, l := range opt.Machine.Links {
		least = min(least, l.Params.Sync)
	}
	r := whole.Result
	if least < 1 || opt.Synchronous || r.Total()[sim.SendWait] == 0 || r.Events > mostAdvised {
		return nil
	}
	g, err := fragment(p.Graph, opt, least, mostAdvised)
	if err != nil {
		return nil // there are too many pieces
	}
	cut, err := sim.Run(g, opt)
	if err != nil || cut.Time() > leastAdvice*r.Time() {
		return nil
	}
	return []string{fmt.Sprintf("advice: messages that the program cuts into pieces of %d bytes wait for no receiver: "+
		"predicted %s (%+.1f %%)", least, show.Time(cut.Time()), 100*(cut.Time()/r.Time()-1))}
}
