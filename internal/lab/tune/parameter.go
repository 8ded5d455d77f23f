package tune

import (
	"slices"

	"github.com/gopvas/gopvas/internal/node/job"
)

// A parameter is a number in the settings of a job that is measured, of one task model or (btl 0)
// of both.
type parameter struct {
	name      string
	btl       job.BTL
	unit      string
	field     func(*job.Settings) *int
	standard  int // the default; 0: ranks find it out themselves
	low, high int // bounds of the value

	// Lengths, in increasing order, at which the two ways are compared. values[k] is the value by
	// which the first k lengths go the first way and the others the second.
	lengths, values []int
	ways            [2]way
	loads           []load
	ranks           func(cpus int) int
	needs           func(Machine) string // why it cannot be measured; nil or "": it can

	// decide returns the value, and what it is worth: see threshold.
	decide func(p *parameter, found []faster) (value int, v Verdict)
}

// A way is one of two ways to do the same, and how to have all messages of a length go it.
type way struct {
	name string
	set  func(s *job.Settings, length int)
}

// A load is a benchmark with what a length means there.
type load struct {
	benchmark string
	bytes     func(length, ranks int) int
}

func asIs(length, _ int) int { return length }

// messages are loads of messages: of one at a time, and of many under way.
var messages = []load{{"pingpong", asIs}, {"bw", asIs}}

// collectives are loads of which so many bytes are moved in all, as package coll counts them.
var collectives = []load{
	{"bcast", func(total, ranks int) int { return max(total/ranks, 1) }},
	{"allreduce", func(total, ranks int) int { return max(total/(2*ranks)&^7, 8) }},
	{"alltoall", func(total, ranks int) int { return max(total/(ranks*ranks), 1) }},
}

func two(int) int { return 2 }

func twoCPUs(m Machine) string {
	if m.CPUs < 2 {
		return "it takes two CPUs"
	}
	return ""
}

func eagerLimit(s *job.Settings) *int { return &s.EagerLimit }

// kib are lengths in KiB.
func kib(n ...int) []int {
	for i := range n {
		n[i] <<= 10
	}
	return n
}

// including adds the default to values in increasing order: threshold starts from there.
func including(values []int, standard int) []int {
	i, found := slices.BinarySearch(values, standard)
	if found {
		return values
	}
	return slices.Insert(values, i, standard)
}

// Names are those of all parameters.
func Names() (all []string) {
	for _, d := range parameters {
		all = append(all, d.name)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// parameters are all that are measured.
var parameters = []*parameter{eager(job.BTLPvas), eager(job.BTLSM), shareFrom(), pipelineFrom(),
	solo("solo_spinning", job.DefaultSoloSpinning, kib(2, 4, 8, 16, 32, 64, 128),
		func(cpus int) int { return min(cpus, 16) }, func(s *job.Settings) *int { return &s.SoloSpinning }),
	solo("solo_sleeping", job.DefaultSoloSleeping, kib(8, 16, 32, 64, 128, 256, 512),
		func(cpus int) int { return 2 * cpus }, func(s *job.Settings) *int { return &s.SoloSleeping }),
	spin(),
}

// eager is the longest message that goes through a buffer of the pair.
func eager(btl job.BTL) *parameter {
	values := including(kib(1, 2, 4, 8, 16, 32, 64), job.DefaultEagerLimit)
	return &parameter{
		name: "eager_limit", btl: btl, unit: "bytes", field: eagerLimit, standard: job.DefaultEagerLimit,
		low: 1, high: job.MaxEagerLimit, lengths: values[1:], values: values, loads: messages,
		ranks: two, decide: threshold,
		ways: [2]way{
			{"eager", func(s *job.Settings, length int) { s.EagerLimit = length }},
			{"rendezvous", func(s *job.Settings, _ int) { s.EagerLimit = values[0] }},
		},
	}
}

// shareFrom is the length from which both ranks copy, in one address space.
func shareFrom() *parameter {
	lengths := including(kib(8, 16, 32, 48, 64, 128, 256), job.DefaultShareFrom)
	return &parameter{
		name: "share_from", btl: job.BTLPvas, unit: "bytes", field: func(s *job.Settings) *int { return &s.ShareFrom },
		standard: job.DefaultShareFrom, low: 1, high: job.Never, lengths: lengths,
		values: append(slices.Clone(lengths), job.Never),
		loads:  messages, ranks: two, needs: twoCPUs, decide: threshold,
		ways: [2]way{
			{"receiver copies", func(s *job.Settings, _ int) { s.ShareFrom = job.Never }},
			{"both copy", func(s *job.Settings, _ int) { s.ShareFrom = 1 }},
		},
	}
}

// pipelineFrom is the length from which processes use the pipeline in place of single copy.
func pipelineFrom() *parameter {
	lengths := kib(8, 32, 128, 256, 1<<10, 4<<10)
	return &parameter{
		name: "pipeline_from", btl: job.BTLSM, unit: "bytes",
		field: func(s *job.Settings) *int { return &s.PipelineFrom },
		low:   1, high: job.Never, lengths: lengths, values: append(slices.Clone(lengths), job.Never), loads: messages,
		ranks: two, decide: upwards,
		needs: func(m Machine) string {
			if !m.CMA {
				return "the kernel refuses single copy"
			}
			return twoCPUs(m)
		},
		ways: [2]way{
			{"single copy", func(s *job.Settings, _ int) { s.PipelineFrom = job.Never }},
			{"pipeline", func(s *job.Settings, _ int) { s.PipelineFrom = 1 }},
		},
	}
}

// onBoard are the algorithms whose work one rank does, or all do.
const onBoard = "bcast=direct,allreduce=direct,alltoall=direct"

// solo is up to how many bytes one rank does all the work of a collective operation.
func solo(name string, standard int, values []int, ranks func(int) int, field func(*job.Settings) *int) *parameter {
	values = including(values, standard)
	return &parameter{
		name: name, btl: job.BTLPvas, unit: "bytes", field: field, standard: standard, low: 1, high: job.Never,
		lengths: values[1:], values: values, loads: collectives, ranks: ranks, needs: twoCPUs, decide: threshold,
		ways: [2]way{
			{"one rank", func(s *job.Settings, _ int) { s.Coll, *field(s) = onBoard, job.Never }},
			{"all ranks", func(s *job.Settings, _ int) { s.Coll, *field(s) = onBoard, 1 }},
		},
	}
}

// spin compares other numbers of looks with the default, where a rank waits for a short message.
// The lengths are these numbers.
func spin() *parameter {
	short := func(int, int) int { return 8 }
	return &parameter{
		name: "spin", unit: "looks", field: func(s *job.Settings) *int { return &s.Spin }, standard: job.DefaultSpin,
		low: 1, high: 1 << 30, lengths: []int{200, 8000}, loads: []load{{"pingpong", short}, {"allreduce", short}},
		ranks: two, needs: twoCPUs, decide: candidate,
		ways: [2]way{
			{"default", func(*job.Settings, int) {}},
			{"as many looks", func(s *job.Settings, looks int) { s.Spin = looks }},
		},
	}
}
