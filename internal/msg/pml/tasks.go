package pml

import (
	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/msg/pml/flow"
	"github.com/gopvas/gopvas/internal/node/job"
)

// Task is an operation that is made of others: a collective that goes on in the
// background, say. The engine asks it for progress as it asks a transfer, in every
// call that waits or tests, until it is done; a request stands for it in all calls.
type Task interface {
	// Start begins the task, for a persistent request each time anew. It is called
	// without the engine's lock, by the goroutine that begins the request.
	Start() error

	// Release is called when no request stands for the task any more. Like Progress
	// it runs under the engine's lock.
	Release()

	// Progress is called under the engine's lock, and so makes progress through
	// Inside alone. It says done once for each Start that returned no error.
	btl.Transfer

	// Describe returns the task's wait for the hang report. It is called like
	// Progress, while the task is underway.
	Describe(*job.Waiting)
}

// Reporter is a Task whose requests have a status. It is asked when the task is done.
type Reporter interface {
	Status() Status
}

// Patient is a Task that looks further when it has lasted for long. Lasts is called under the engine's lock before
// Progress, in each look of a sleep of the rank that has turned out to be a long one. Whatever the rank waits for then,
// another goroutine may wait for the task.
type Patient interface {
	Lasts()
}

// Lone is a Task that another goroutine than those of the program may advance while the rank makes no call, if Lone
// says so. It is called like Progress.
type Lone interface {
	Lone() bool
}

// tasks are the tasks of a rank that are underway.
type tasks struct {
	p         *protocol
	underway  flow.Tasks[operation]
	advancing bool // advance is at work
	attending bool // the program makes no call: see Attend
	ended     func(*operation, error)
	may       func(*operation) bool
}

func (t *tasks) init(p *protocol) { t.p, t.ended, t.may = p, t.end, t.advances }

// none tells whether there is none.
func (t *tasks) none() bool { return t.underway.Empty() }

// start begins to look after a task that was started.
func (t *tasks) start(op *operation) {
	op.state = moving
	t.underway.Start(&op.flow, op.task)
	t.advance()
}

// tellPatient calls Lasts of all tasks that have it.
func (t *tasks) tellPatient() {
	for op := range t.underway.All() {
		if p, ok := op.task.(Patient); ok {
			p.Lasts()
		}
	}
}

// advance asks all tasks for progress, and again as long as that has completed
// an operation: an operation that one of them waits for may be complete only now, and no event
// will tell. An operator that a task runs may make calls which come here: they do nothing.
func (t *tasks) advance() {
	if t.advancing {
		return
	}
	t.advancing = true
	for before := t.p.completions - 1; before != t.p.completions; {
		before = t.p.completions
		t.underway.Advance(t.may, t.ended)
	}
	t.advancing = false
}

// end completes a task that is done.
func (t *tasks) end(op *operation, err error) {
	if r, ok := op.task.(Reporter); ok {
		op.status = r.Status()
	}
	t.p.complete(op, err)
}

// advances tells whether a task is advanced now.
func (t *tasks) advances(op *operation) bool {
	if !t.attending {
		return true
	}
	l, ok := op.task.(Lone)
	return ok && l.Lone()
}
