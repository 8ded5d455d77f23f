package shm

import (
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// envNap has the test binary take naps instead of running tests: only a process without
// other goroutines can.
const envNap = "SHM_TEST_NAP"

func TestMain(m *testing.M) {
	if os.Getenv(envNap) != "" {
		takeNaps()
		return
	}
	os.Exit(m.Run())
}

// takeNaps prints what naps return, how often they look, and as what.
func takeNaps() {
	var e Event
	for _, last := range []int{1, yields, yields + 1, yields + 2, 0} {
		looks, asleep := 0, 0
		over := e.Nap(func() bool {
			looks++
			if e.sleepers.Load() != 0 {
				asleep++
				e.seq.Add(1) // a signal that comes before the sleep
			}
			return looks == last || looks > 100
		})
		fmt.Println(over, looks, asleep, e.sleepers.Load())
	}
	looks := 0
	fmt.Println(e.Nap(func() bool { looks++; return false }), looks, e.sleepers.Load())

	company := func(dedicated bool) (leave func()) {
		here, leaves, left := make(chan bool), make(chan bool), make(chan bool)
		go func() {
			defer close(left)
			if dedicated {
				defer Dedicate()()
			}
			close(here)
			<-leaves
		}()
		<-here
		return func() { close(leaves); <-left }
	}
	yes := func() bool { return true }
	leaveDedicated := company(true)
	fmt.Println(e.Nap(yes))
	leave := company(false)
	fmt.Println(e.Nap(yes))
	leave()
	leaveDedicated()
	leave = company(false)
	fmt.Println(e.Nap(yes))
	leave()
}

func TestNap(t *testing.T) {
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), envNap+"=1")
	out, err := c.Output()
	require.NoError(t, err)
	require.Equal(t, `true 1 0 0
true 4 0 0
true 5 1 0
true 6 2 0
true 101 97 0
false 5 0
true
false
false
`, string(out), "returned, looks, of which as a registered sleeper, sleepers left; then in company")
}

func TestNapLeavesTheThreadToOtherGoroutines(t *testing.T) {
	var e Event
	require.False(t, e.Nap(func() bool { t.Error("asked"); return true }))
}
