//go:build amd64 || arm64

package toolchain

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/capi/coro"
	"github.com/gopvas/gopvas/internal/capi/coro/corotest"
	"github.com/gopvas/gopvas/internal/test/testkit"
)

func init() { parts["coroutine"] = coroutine }

// testCoroutines: see coroutine. As in the library the thread has the only slot (P), and requests for preemption come
// by the guard of the stack alone.
func testCoroutines(t *testing.T) {
	if testkit.Race {
		t.Skip("the detector lays stacks out otherwise")
	}
	cmd := process(t, "coroutine", "GODEBUG=asyncpreemptoff=1", "GOMAXPROCS=1", "GOGC=100")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	t.Logf("%s", out)
}

// program is the context and the stack of C: memory that does not move.
var program struct {
	ctx   coro.Context
	stack [4096]byte
}

// leaf is live memory that a collection takes long to look through.
type leaf struct {
	next *leaf
	_    [56]byte
}

var (
	live  *leaf
	waste []byte
	never atomic.Uint32
)

// compute is what C does between calls: it calls nothing, and so obeys no request.
func compute(rounds int) {
	for i := 0; i < rounds && never.Load() == 0; i++ {
	}
}

// speed returns how many rounds of compute take a millisecond.
func speed() int {
	const rounds = 1 << 20
	best := time.Duration(1 << 62)
	for range 10 {
		begin := time.Now()
		compute(rounds)
		best = min(best, time.Since(begin))
	}
	return int(rounds * time.Millisecond / max(best, 1))
}

// other is a goroutine that always wants the slot, and counts how often it has had it.
type other struct {
	turns atomic.Int64
	stop  atomic.Bool
}

func (o *other) run() {
	for !o.stop.Load() {
		o.turns.Add(1)
		runtime.Gosched()
	}
}

// serve has a program call, and serves each call by f, until that returns true.
func serve(guard uintptr, f func(call int) (stop bool)) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		stack := uintptr(unsafe.Pointer(&program.stack)) + uintptr(len(program.stack))
		program.ctx = coro.Context{CSP: stack, Back: corotest.Entry(), Guard: guard}
		call := 0
		coro.Serve(program.ctx.Addr(), func(uintptr) bool { call++; return f(call) })
	}()
	<-done
}

// undisturbed returns how often another goroutine got the slot while a program called and computed for longer
// than the runtime lets a goroutine run.
func undisturbed(guard uintptr, rounds int) int64 {
	var o other
	go o.run()
	defer o.stop.Store(true)
	var before int64
	var turns int64
	serve(guard, func(call int) bool {
		if turns = o.turns.Load() - before; call == 1 {
			before = o.turns.Load()
		}
		compute(rounds)
		return call == 5
	})
	return turns
}

// coroutine is a program in C that calls Go. A request for the slot is withdrawn where a call begins. While garbage is
// collected it is obeyed instead. A collection that a call has begun stands still while the program then computes for
// a second, and ends within some calls after that.
func coroutine() error {
	const bound = 100 // calls; a few are enough
	guard, ms := coro.Guard(), speed()
	if guard == 0 {
		return fmt.Errorf("coro.Guard: the runtime lays goroutines out otherwise than expected")
	}
	if turns := undisturbed(0, 30*ms); turns == 0 {
		return fmt.Errorf("the runtime has asked for no slot: this test shows nothing")
	}
	if turns := undisturbed(guard, 30*ms); turns != 0 {
		return fmt.Errorf("requests for the slot are not withdrawn: another goroutine had it %d times", turns)
	}
	for range 200_000 {
		live = &leaf{next: live}
	}
	runtime.GC()
	var cycles runtime.MemStats
	runtime.ReadMemStats(&cycles)
	calls := 0
	serve(guard, func(call int) bool {
		calls = call
		if call > 1 {
			compute(20 * ms)
			return !corotest.Marking() || call == bound
		}
		for !corotest.Marking() {
			waste = make([]byte, 512)
		}
		compute(1000 * ms)
		return !corotest.Marking() // it cannot have ended
	})
	if calls == 1 || calls == bound {
		return fmt.Errorf("a collection has ended after %d calls", calls)
	}
	began := cycles.NumGC
	if runtime.ReadMemStats(&cycles); cycles.NumGC != began+1 {
		return fmt.Errorf("%d collections instead of one", cycles.NumGC-began)
	}
	fmt.Println(calls, "calls")
	if turns := undisturbed(guard, 30*ms); turns != 0 {
		return fmt.Errorf("requests are not withdrawn after a collection: another goroutine had it %d times", turns)
	}
	runtime.KeepAlive(live)
	return nil
}
