package main

import (
	"os"
	"sync/atomic"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"
)

// A progress shows how far a long command is and how long the rest will take,
// where a person looks at the standard error output; elsewhere it shows nothing.
type progress struct {
	bars *mpb.Progress
	bar  *mpb.Bar
	now  atomic.Value // string: what is being done; read by the display's goroutine
	part int          // of the steps that it counts for
}

func newProgress(steps int) *progress {
	if !term.IsTerminal(int(os.Stderr.Fd())) {
		return &progress{}
	}
	p := &progress{bars: mpb.New(mpb.WithOutput(os.Stderr), mpb.WithWidth(60))}
	p.now.Store("")
	p.bar = p.bars.AddBar(int64(steps),
		mpb.BarRemoveOnComplete(),
		mpb.PrependDecorators(decor.Any(func(decor.Statistics) string { return p.now.Load().(string) + " " })),
		mpb.AppendDecorators(decor.CountersNoUnit("%d of %d, "), decor.AverageETA(decor.ET_STYLE_GO), decor.Name(" left")),
	)
	return p
}

// begin says what the next step is; the one before it is done.
func (p *progress) begin(what string) { p.beginOf(1, what) }

// beginOf is begin for what counts for several steps.
func (p *progress) beginOf(steps int, what string) {
	if p.bar == nil {
		return
	}
	p.bar.IncrBy(p.part)
	p.part = steps
	p.now.Store(what)
}

// done removes the display. It may be called again.
func (p *progress) done() {
	if p.bar == nil {
		return
	}
	p.bar.Abort(true)
	p.bars.Wait()
	p.bar = nil
}
