package cli

import (
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"
)

// A progress shows how far a long command is and how long the rest will take,
// where a person looks at the standard error output; elsewhere it shows nothing.
type progress struct {
	bars *mpb.Progress
	bar  *mpb.Bar

	mu   sync.Mutex // the display has a goroutine of its own
	what string     // is being done
	pace pace
}

func NewProgress(steps int) *progress {
	if !term.IsTerminal(int(os.Stderr.Fd())) {
		return &progress{}
	}
	p := &progress{bars: mpb.New(mpb.WithOutput(os.Stderr), mpb.WithWidth(60)),
		pace: pace{total: steps, start: time.Now()}}
	p.bar = p.bars.AddBar(int64(steps),
		mpb.BarRemoveOnComplete(),
		mpb.PrependDecorators(decor.Any(func(decor.Statistics) string { return p.now() + " " })),
		mpb.AppendDecorators(decor.Percentage(), decor.Any(func(decor.Statistics) string { return p.left() })),
	)
	return p
}

// Begin says what the next step is; the one before it is done.
func (p *progress) Begin(what string) { p.BeginOf(1, what) }

// BeginOf is begin for what counts for several steps.
func (p *progress) BeginOf(steps int, what string) {
	if p.bar == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.what = what
	p.pace.begin(steps, time.Now())
	p.bar.SetCurrent(int64(p.pace.done))
}

// now is what is being done.
func (p *progress) now() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.what
}

// left says how long the rest will take, if that can be said.
func (p *progress) left() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	rest, known := p.pace.left(time.Now())
	if !known {
		return ""
	}
	return fmt.Sprintf(", %v left", rest.Round(time.Second))
}

// Done removes the display. It may be called again.
func (p *progress) Done() {
	if p.bar == nil {
		return
	}
	p.bar.Abort(true)
	p.bars.Wait()
	p.bar = nil
}

// A pace tells from the steps that are done how long the others will take.
type pace struct {
	total, done int
	part        int // of the steps, that are being done now
	start, last time.Time
}

// begin notes that the steps before are done, and that so many are begun.
func (p *pace) begin(steps int, now time.Time) {
	p.done += p.part
	p.part, p.last = steps, now
}

// left returns how long the rest will take if all steps take as long as those that are
// done, of which there must be some. The steps that are being done take no less than
// they have taken.
func (p *pace) left(now time.Time) (rest time.Duration, known bool) {
	if p.done == 0 {
		return 0, false
	}
	step := p.last.Sub(p.start) / time.Duration(p.done)
	part := max(step*time.Duration(p.part)-now.Sub(p.last), 0)
	return part + step*time.Duration(p.total-p.done-p.part), true
}
