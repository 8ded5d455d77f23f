package meter

import (
	"errors"
	"runtime"
	"sync"
	"time"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/launcher"
	"github.com/gopvas/gopvas/pagetable"
)

// samplePeriod is how often a Meter looks at ranks that do not stop for it.
const samplePeriod = 50 * time.Millisecond

// A Meter measures the page tables and memory of one job by the paper's method:
// the machine before the job, and the job and the machine with every rank
// stopped in Init and again right before Finalize.
//
// Programs that never call Init do not stop. Of them the Meter takes samples
// while they run, every 50 ms, and keeps the first and the one with the most
// page tables.
type Meter struct {
	before  pagetable.Memory
	created time.Time

	mu      sync.Mutex
	at      map[job.Hold]moment
	sampled []moment // first and largest
	shared  uint64
	kinds   Kinds // at the end of ranks that stop
	nodes   []NodeMemory
	far     []FarMemory
	btl     job.BTL
	inInit  time.Duration
	err     error
	stop    chan struct{}
	done    sync.WaitGroup
}

// A moment is a sample and when it was taken.
type moment struct {
	pagetable.Sample
	when time.Time
}

// NewMeter takes the first measure, of the machine before the job.
func NewMeter() (*Meter, error) {
	before, err := pagetable.System()
	if err != nil {
		return nil, err
	}
	return &Meter{before: before, created: time.Now(), at: map[job.Hold]moment{}, stop: make(chan struct{})}, nil
}

// Attach makes the ranks of j, which has not been run, stop for the Meter.
func (m *Meter) Attach(j *launcher.Job) {
	j.Hold = m.hold
	j.Started = func(p launcher.Processes) { m.done.Go(func() { m.sample(p) }) }
}

// hold measures a job that stands still. Time counts from the end of the
// measuring in Init to the beginning of the measuring before Finalize.
func (m *Meter) hold(h job.Hold, p launcher.Processes) {
	arrived := time.Now()
	sample, err := pagetable.Take(p.Spaces(), len(p.Ranks))
	nodes, far, err2 := nodesOf(p)
	err = errors.Join(err, err2)
	when, kinds := arrived, Kinds{}
	if h == job.HoldInit {
		when = time.Now()
	} else {
		kinds, err2 = kindsOf(p.Spaces())
		err = errors.Join(err, err2)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if h == job.HoldInit {
		m.inInit = arrived.Sub(m.created)
	}
	m.at[h] = moment{sample, when}
	m.shared, m.nodes, m.far, m.kinds = p.SharedBytes, nodes, far, kinds
	m.btl = p.BTL
	m.err = errors.Join(m.err, err)
}

// sample looks at a running job until the Meter is asked for its report.
func (m *Meter) sample(p launcher.Processes) {
	tick := time.NewTicker(samplePeriod)
	defer tick.Stop()
	for {
		m.sampleOnce(p)
		select {
		case <-m.stop:
			return
		case <-tick.C:
		}
	}
}

func (m *Meter) sampleOnce(p launcher.Processes) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.at) > 0 {
		return // the ranks stop by themselves
	}
	sample, err := pagetable.Take(p.Spaces(), len(p.Ranks))
	if err != nil {
		return // some rank has ended
	}
	now := moment{sample, time.Now()}
	m.btl = p.BTL
	switch {
	case len(m.sampled) == 0:
		m.sampled = []moment{now, now}
	case sample.Job.VmPTE >= m.sampled[1].Job.VmPTE:
		m.sampled[1] = now
	}
}

// ErrNotMeasured is returned for a job that ended before it could be measured.
var ErrNotMeasured = errors.New("bench: the job ended before its page tables could be read")

// A Measurement is what a Meter has found.
type Measurement struct {
	pagetable.Report
	Stopped bool          // the ranks stood still for it; else it compares samples
	InInit  time.Duration // from NewMeter until every rank was in Init; 0 unless Stopped
	Elapsed time.Duration // between the two measures
	Kinds   Kinds         // at the end; zero unless Stopped
	Nodes   []NodeMemory  // at the end; nil on a machine with one NUMA node, or unless Stopped
	Far     []FarMemory   // likewise, of ranks that have any, the most first

	// Growth between the two measures: what MemAvailable of the machine has fallen by,
	// and what the address spaces have mapped of shared memory, touched or not.
	MemoryGrowthKiB, SharedGrowthKiB int64

	// What the readings of the whole machine in Report are wrong by, as far as is known:
	// the same readings once more, with the job gone.
	TableNoiseKiB, MemoryNoiseKiB int64
}

// SystemTables returns the job's page tables by the reading of the whole machine; ok is
// false where the rest of the machine has changed by as much.
func (m Measurement) SystemTables() (kib int64, ok bool) {
	return m.SystemPageTableKiB, m.SystemPageTableKiB > m.TableNoiseKiB
}

// SystemMemory is SystemTables for memory.
func (m Measurement) SystemMemory() (kib int64, ok bool) {
	return m.SystemMemoryKiB, m.SystemMemoryKiB > m.MemoryNoiseKiB
}

// lateKiB is what a counter of the machine may be late by for each CPU where it is not
// folded: see pagetable.System.
const lateKiB = 500

// MemoryGrowth returns MemoryGrowthKiB; ok is false where the rest of the machine has changed
// by as much.
func (m Measurement) MemoryGrowth() (kib int64, ok bool) {
	return m.MemoryGrowthKiB, m.MemoryGrowthKiB > m.MemoryNoiseKiB
}

// AddNoise compares the machine before the job and after it. Page tables of the machine
// include those of the job: what they show too little is noise too.
func (m *Measurement) AddNoise(before, after pagetable.Memory, cpus int) {
	m.TableNoiseKiB, m.MemoryNoiseKiB = Noise(before, after, m.SystemFolded, cpus)
	m.TableNoiseKiB = max(m.TableNoiseKiB, m.PageTableKiB-m.SystemPageTableKiB)
}

// Noise is how far page tables and memory of the machine are from what they were before a
// job that is gone, and what they may be late by.
func Noise(before, after pagetable.Memory, folded bool, cpus int) (tables, memory int64) {
	tables = distance(before.PageTables, after.PageTables)
	memory = distance(before.MemAvailable, after.MemAvailable)
	if !folded || !after.Folded {
		late := int64(cpus) * lateKiB
		tables, memory = tables+late, memory+late
	}
	return tables, memory
}

func distance(a, b int64) int64 { return max(a-b, b-a) }

// Measurement returns what the Meter has found, once the job has ended. It may
// be called once.
func (m *Meter) Measurement() (Measurement, error) {
	close(m.stop)
	m.done.Wait()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err != nil {
		return Measurement{}, m.err
	}
	start, started := m.at[job.HoldInit]
	end, finished := m.at[job.HoldFinalize]
	stopped := started && finished
	if !stopped {
		if len(m.sampled) == 0 {
			return Measurement{}, ErrNotMeasured
		}
		start, end = m.sampled[0], m.sampled[1]
	}
	after, err := pagetable.System()
	if err != nil {
		return Measurement{}, err
	}
	result := Measurement{
		Report:  pagetable.NewReport(m.btl.String(), m.shared, m.before, start.Sample, end.Sample),
		Stopped: stopped,
		InInit:  m.inInit,
		Kinds:   m.kinds,
		Nodes:   m.nodes,
		Far:     m.far,
		Elapsed: end.when.Sub(start.when),

		MemoryGrowthKiB: start.System.MemAvailable - end.System.MemAvailable,
		SharedGrowthKiB: end.Job.Shared - start.Job.Shared,
	}
	result.AddNoise(m.before, after, runtime.NumCPU())
	return result, nil
}
