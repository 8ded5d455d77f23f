package shm

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// envPark has the test binary park instead of running tests: alone, which only a
// process without other goroutines can be, or as a server at this socket.
const envPark = "SHM_TEST_PARK"

func TestMain(m *testing.M) {
	switch how := os.Getenv(envPark); how {
	case "":
		os.Exit(m.Run())
	case "alone":
		parkAlone()
	default:
		parkAndServe(how)
	}
}

// parkAlone prints what parkBriefly returns, how often it looks, and as what.
func parkAlone() {
	var e Event
	park := func(ready func() bool) bool { return e.parkBriefly(parkAtEvent, quiet, ready) }
	for _, last := range []int{1, 2, 0} {
		looks, asleep := 0, 0
		over := park(func() bool {
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
	fmt.Println(park(func() bool { looks++; return false }), looks, e.sleepers.Load())
	begin := time.Now()
	fmt.Println(e.parkBriefly(parkAtEvent, 3*quiet, func() bool { return false }), time.Since(begin) >= 3*quiet)
	fmt.Println(runtime.GOMAXPROCS(0))

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
	fmt.Println(park(yes), runtime.GOMAXPROCS(0))
	leave := company(false)
	fmt.Println(park(yes), runtime.GOMAXPROCS(0))
	park(func() bool { fmt.Println(park(yes)); return true })
	leaveDedicated()
	fmt.Println(park(yes), runtime.GOMAXPROCS(0))
	runtime.GOMAXPROCS(1)
	fmt.Println(park(yes), runtime.GOMAXPROCS(0))
	Sole(true, 1)
	fmt.Println(park(yes), runtime.GOMAXPROCS(0))
	leave()
}

// sleeper is the test binary with GOMAXPROCS=1 and without cgo's part in brief sleeps.
func sleeper(how string) *exec.Cmd {
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), envPark+"="+how, "GOMAXPROCS=1")
	c.Stderr = os.Stderr
	return c
}

func TestParkBriefly(t *testing.T) {
	alone := sleeper("alone")
	alone.Env = append(alone.Env, "GODEBUG=asyncpreemptoff=1") // else the runtime ends a sleep after 10 to 20 ms
	out, err := alone.Output()
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	require.Equal(t, []string{"true 1 1 0", "true 2 2 0", "true 101 101 0", "false 1 0", "false true"},
		lines[:5],
		"returned, looks, of which as a registered sleeper, sleepers left; at last a sleep that is longer")
	if runtime.NumCgoCall() > 0 {
		require.Equal(t, "2", lines[5], "a thread of C may need a slot")
		return
	}
	require.Equal(t, []string{"1", "true 2", "true 3", "false", "true 2", "false 1", "true 2"}, lines[5:],
		"slots; sleeps, and slots then: with a dedicated goroutine, with another one too, two at a time, "+
			"with another one only, when the program has lowered GOMAXPROCS, and after Sole")
}

// streak is how many requests must be served while the process sleeps briefly.
const streak = 20

// parkAndServe parks briefly without end. A sleep is over when the server has got a request during it. The server tells
// whether streak requests were so that came in a sleep, and none in between came when a sleep had ended without it.
func parkAndServe(socket string) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR1)
	var signalled atomic.Int32
	go func() {
		for range signals {
			signalled.Add(1)
		}
	}()
	var e Event
	var asked, served atomic.Int32
	l, err := net.Listen("unix", socket)
	if err != nil {
		panic(err)
	}
	go func() {
		panic(http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			asked.Add(1)
			e.Signal()
			fmt.Fprint(w, served.Load() >= streak && signalled.Load() > 0)
		})))
	}()
	for {
		before, looks := asked.Load(), 0
		over := e.parkBriefly(parkAtEvent, quiet, func() bool { looks++; return asked.Load() != before })
		switch {
		case over && looks > 1:
			served.Add(1)
		case !over && asked.Load() != before && served.Load() < streak:
			served.Store(0)
		}
	}
}

// TestOthersAreServedDuringBriefSleeps: a rank with a signal.Notify goroutine and an HTTP server
// parks, and a sleep ends by what the server does. If the sleep kept its slot from the server, only
// the scheduler could give it back, and that ends a sleep before the server can.
func TestOthersAreServedDuringBriefSleeps(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	c := sleeper(socket)
	require.NoError(t, c.Start())
	defer func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	}()
	client := http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _,
		_ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}}}
	defer client.CloseIdleConnections()
	ask := func() string {
		response, err := client.Get("http://sleeper/")
		if err != nil {
			return "" // not listening yet
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		return string(body)
	}
	require.Eventually(t, func() bool { return ask() != "" }, time.Minute, time.Millisecond)
	require.Eventually(t, func() bool {
		require.NoError(t, c.Process.Signal(syscall.SIGUSR1))
		return ask() == "true"
	}, time.Minute, time.Millisecond)
}
