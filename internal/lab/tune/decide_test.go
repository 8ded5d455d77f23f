package tune

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/lab/bench/timed"
	"github.com/gopvas/gopvas/internal/node/job"
)

func TestCompare(t *testing.T) {
	require.Equal(t, first, compare([]float64{1, 3, 2}, []float64{4, 5, 3.1}))
	require.Equal(t, second, compare([]float64{4, 5, 3.1}, []float64{1, 3, 2}))
	require.Equal(t, notTold, compare([]float64{1, 9}, []float64{2, 3}), "one slow round is enough")
	require.Equal(t, notTold, compare([]float64{2}, []float64{2}))
	require.Equal(t, notTold, compare(nil, []float64{2}))
}

func TestJoin(t *testing.T) {
	require.Equal(t, notTold, join(nil))
	require.Equal(t, first, join([]faster{notTold, first, notTold}))
	require.Equal(t, second, join([]faster{second, second}))
	require.Equal(t, notTold, join([]faster{first, second}), "good for one load and bad for another")
	require.Equal(t, notTold, join([]faster{first, second, first}))
}

// The default is the length 4: the lengths 2 and 4 go the first way, 8 and 16 the second.
func TestThreshold(t *testing.T) {
	p := &parameter{standard: 4, values: []int{1, 2, 4, 8, 16}}
	for _, c := range []struct {
		found []faster
		value int
		v     Verdict
	}{
		{[]faster{notTold, notTold, notTold, notTold}, 4, NotTold},
		{[]faster{first, first, second, second}, 4, DefaultBest},
		{[]faster{notTold, first, second, notTold}, 4, DefaultBest},
		{[]faster{notTold, first, notTold, second}, 4, NotTold},
		{[]faster{notTold, notTold, first, notTold}, 8, Measured},
		{[]faster{second, second, first, first}, 16, Measured},
		{[]faster{notTold, notTold, notTold, first}, 4, NotTold}, // not beyond what is unknown
		{[]faster{second, second, notTold, second}, 1, Measured},
		{[]faster{notTold, second, second, second}, 2, Measured},
		{[]faster{second, first, second, second}, 4, DefaultBest},
	} {
		value, v := threshold(p, c.found)
		require.Equal(t, c.value, value, c.found)
		require.Equal(t, c.v, v, c.found)
	}
}

func TestUpwards(t *testing.T) {
	p := &parameter{values: []int{2, 4, 8, job.Never}}
	for _, c := range []struct {
		found []faster
		value int
		v     Verdict
	}{
		{[]faster{notTold, notTold, notTold}, 0, NotTold},
		{[]faster{second, second, notTold}, 0, NotTold},
		{[]faster{first, notTold, second}, 8, Measured},
		{[]faster{second, second, second}, 2, Measured},
		{[]faster{second, notTold, first}, job.Never, Measured},
	} {
		value, v := upwards(p, c.found)
		require.Equal(t, c.value, value, c.found)
		require.Equal(t, c.v, v, c.found)
	}
}

func TestCandidate(t *testing.T) {
	p := &parameter{standard: 5, lengths: []int{1, 9}}
	for _, c := range []struct {
		found []faster
		value int
		v     Verdict
	}{
		{[]faster{first, second}, 9, Measured},
		{[]faster{second, first}, 1, Measured},
		{[]faster{first, first}, 5, DefaultBest},
		{[]faster{first, notTold}, 5, NotTold},
	} {
		value, v := candidate(p, c.found)
		require.Equal(t, c.value, value, c.found)
		require.Equal(t, c.v, v, c.found)
	}
}

// The table of parameters makes sense: whatever is found is a value that jobs take.
func TestParameters(t *testing.T) {
	c := Config{Machine: Machine{CPUs: 4, CMA: true}, Rounds: 3}
	for _, d := range parameters {
		require.Same(t, d, find(d.name, d.model()), "named twice")
		require.True(t, slices.IsSorted(d.lengths) && slices.IsSorted(d.values))
		require.Empty(t, c.missing(d), d.name)
		for _, answer := range []faster{first, second, notTold} {
			value, v := d.decide(d, slices.Repeat([]faster{answer}, len(d.lengths)))
			own := Parameter{Name: d.name, Model: d.model(), Unit: d.unit, Default: d.standard,
				Value: value, Verdict: v}
			_, err := own.check()
			require.NoError(t, err)
			p := Profile{Parameters: []Parameter{own}}
			for _, s := range p.Settings() {
				_, err := s.Resolve()
				require.NoError(t, err)
			}
		}
	}
	for _, task := range c.tasks() {
		require.Contains(t, slices.Concat(timed.Patterns(), timed.Collectives()), task.load.benchmark)
		require.NotEqual(t, task.sets[0], task.sets[1], task.name)
		for _, s := range task.sets {
			_, err := s.Resolve()
			require.NoError(t, err)
		}
		for _, length := range task.lengths {
			require.Positive(t, task.load.bytes(length, task.ranks(4)))
		}
	}
	require.Equal(t, 6*len(c.tasks()), c.Steps())
}

func TestWhatCanNotBeMeasured(t *testing.T) {
	all := Config{Machine: Machine{CPUs: 2, CMA: true}}
	require.Empty(t, all.missing(find("pipeline_from", "sm")))
	one := Config{Machine: Machine{CPUs: 1, CMA: true}}
	require.Equal(t, "it takes two CPUs", one.missing(find("spin", "")))
	require.Empty(t, one.missing(find("eager_limit", "sm")))
	refused := Config{Machine: Machine{CPUs: 2}}
	require.Equal(t, "the kernel refuses single copy", refused.missing(find("pipeline_from", "sm")))
	apart := Config{Machine: Machine{CPUs: 2}, NoPvas: "no space"}
	require.Equal(t, "no space", apart.missing(find("eager_limit", "pvas")))
	for _, task := range apart.tasks() {
		require.Equal(t, job.BTLSM, task.btl, task.name)
	}
	some := Config{Machine: Machine{CPUs: 2}, Only: []string{"spin"}}
	require.NotEmpty(t, some.tasks())
	for _, task := range some.tasks() {
		require.Equal(t, "spin", task.name)
	}
}

// Lengths with the same settings share their jobs, and each length has its place.
func TestSplit(t *testing.T) {
	d := find("share_from", "pvas")
	tasks := d.split(job.BTLPvas, messages[0])
	require.Len(t, tasks, 1)
	require.Equal(t, d.lengths, tasks[0].lengths)
	d = find("eager_limit", "sm")
	tasks = d.split(job.BTLSM, messages[0])
	require.Len(t, tasks, len(d.lengths))
	for i, task := range tasks {
		require.Equal(t, i, task.first)
		require.Equal(t, d.lengths[i:i+1], task.lengths)
		require.Equal(t, d.lengths[i], task.sets[0].EagerLimit)
	}
}

func TestTimePerLength(t *testing.T) {
	c := Config{Machine: Machine{CPUs: 2, CMA: true}, Rounds: 5, Limit: 1}
	require.Equal(t, leastTime, c.timePerLength(c.tasks(), c.Limit))
	require.Greater(t, c.timePerLength(c.tasks(), time.Hour), 100*leastTime)
	c.Only = []string{"none"}
	require.NotPanics(t, func() { c.timePerLength(c.tasks(), c.Limit) })
}

// threshold starts from the default, whatever that becomes.
func TestDefaultsAreAmongTheValues(t *testing.T) {
	for _, p := range parameters {
		if p.standard != 0 && p.name != "spin" {
			require.Contains(t, p.values, p.standard, p.name)
			require.True(t, slices.IsSorted(p.values), p.name)
		}
	}
	require.Equal(t, []int{2, 4, 6}, including([]int{2, 6}, 4))
	require.Equal(t, []int{2, 6}, including([]int{2, 6}, 6))
	require.Equal(t, []int{2, 6, 9}, including([]int{2, 6}, 9))
}
