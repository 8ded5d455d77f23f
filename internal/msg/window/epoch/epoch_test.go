package epoch

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var errGone = errors.New("the window is gone")

// call makes a call of a script, such as "lock 1", on the epochs of a window of four ranks, and returns what it says.
func (s *State) call(line string) string {
	name, arg, _ := strings.Cut(line, " ")
	rank := 0
	fmt.Sscan(arg, &rank)
	var err error
	said := ""
	switch name {
	case "fence":
		if err = s.MayFence(); err == nil && arg == "nosucceed" {
			s.Fence(NoSucceed)
		} else if err == nil {
			s.Fence(0)
		}
	case "put":
		var all bool
		if all, err = s.Permit(rank); all {
			said = "by the lock of all"
		}
	case "start":
		err = s.Start([]int{rank})
	case "posted":
		s.Open()
	case "complete":
		var targets []int
		if targets, err = s.Complete(); err == nil {
			said = fmt.Sprint("of ", targets)
		}
	case "post":
		err = s.Post([]int{1, rank})
	case "completed", "wait":
		var left []int
		if left, err = s.Exposure("Wait"); err == nil && name == "wait" {
			said = fmt.Sprint("of ", left)
			s.Left(nil)
		} else if err == nil {
			s.Left(left[1:])
		}
	case "lock":
		err = s.Lock(rank, Open)
	case "lock-alone":
		err = s.Lock(rank, Open|Exclusive)
	case "unlock":
		var m Mark
		if m, err = s.Unlock(rank); m&Exclusive != 0 {
			said = "alone"
		}
	case "lock-all":
		err = s.LockAll(arg == "unchecked")
	case "unlock-all":
		var taken bool
		if taken, err = s.UnlockAll(); taken {
			said = "taken"
		}
	case "holds-all":
		said = fmt.Sprint(s.HoldsAll())
	case "abandon":
		s.Abandon()
	case "flush":
		err = s.MayFlush(rank)
	case "flush-all":
		err = s.MayFlushAll()
	case "request":
		err = s.Passive()
	case "free":
		err = s.Free(false)
	}
	if err != nil {
		said = strings.TrimPrefix(err.Error(), ErrSync.Error()+": ")
	}
	return said
}

// Each line of a script is a call, and behind the colon what comes of it, if that is not simply success.
var scripts = map[string]string{
	"between two fences all targets are open": `
		put 2: an operation outside of an epoch: call Fence, Start, Lock or LockAll first
		fence
		put 2
		put 3
		start 1: Start within another access epoch: end that by Fence
		request: an operation with a request within the epoch of Fence: requests are for those of Lock and LockAll
		free: the window is freed within an access epoch: end that by Fence
		fence
		free
		fence: the window is gone
		put 0: the window is gone`,
	"a fence may begin an epoch or not": `
		fence
		request: an operation with a request within the epoch of Fence: requests are for those of Lock and LockAll
		lock 1
		fence: Fence within another access epoch: end that by Unlock
		unlock 1
		fence
		put 1
		fence nosucceed
		put 1: an operation outside of an epoch: call Fence, Start, Lock or LockAll first`,
	"the targets of Start are open when they have called Post": `
		start 1
		put 1: an operation on a target that is not in the epoch: name it in Start, or call Lock
		posted
		put 1
		put 2: an operation on a target that is not in the epoch: name it in Start, or call Lock
		lock 1: Lock within another access epoch: end that by Complete
		complete: of [1]
		complete: Complete without Start
		start 2
		posted
		put 1: an operation on a target that is not in the epoch: name it in Start, or call Lock
		abandon
		lock 2
		unlock 2`,
	"an exposure epoch is beside the access epoch": `
		post 3
		post 3: Post within an exposure epoch: call Wait first
		fence: Fence within an exposure epoch: call Wait first
		lock 0
		put 0
		unlock 0
		free: the window is freed within an exposure epoch: call Wait first
		completed
		wait: of [3]
		wait: Wait without Post
		fence
		put 0
		post 3: Post within the epoch of Fence: end that by the latter with MPI_MODE_NOSUCCEED`,
	"locks are of each target by itself": `
		unlock 1: Unlock without Lock
		lock 1
		lock-alone 2
		lock 1: Lock of a target that is locked: call Unlock first
		put 2
		put 3: an operation on a target that is not in the epoch: name it in Start, or call Lock
		flush 2
		flush 3: Flush of a target that is not locked: call Lock or LockAll first
		flush-all
		request
		unlock 3: Unlock of a target that is not locked: call Lock first
		unlock 2: alone
		put 2: an operation on a target that is not in the epoch: name it in Start, or call Lock
		lock-all: LockAll within another access epoch: end that by Unlock
		unlock 1
		flush-all: Flush of a target that is not locked: call Lock or LockAll first
		free
		lock 1: the window is gone
		flush 1: the window is gone`,
	"the lock of all targets is not the lock of each": `
		holds-all: false
		lock-all
		holds-all: true
		put 3: by the lock of all
		flush 3
		unlock 3: Unlock without Lock
		unlock-all: taken
		unlock-all: UnlockAll without LockAll
		lock-all unchecked
		holds-all: false
		put 3
		unlock-all
		lock-all
		abandon
		free`,
}

func TestScripts(t *testing.T) {
	for name, script := range scripts {
		t.Run(name, func(t *testing.T) {
			var s State
			s.Init(4, errGone)
			for line := range strings.Lines(script) {
				if line = strings.TrimSpace(line); line == "" {
					continue
				}
				call, want, _ := strings.Cut(line, ": ")
				require.Equal(t, want, s.call(call), line)
			}
		})
	}
}

// A window has more targets than a word of marks has room for.
func TestMarks(t *testing.T) {
	var m marks
	for rank := range 20 {
		m.set(rank, 20, Mark(rank%8))
	}
	m.set(9, 20, 0)
	for rank := range 20 {
		want := Mark(rank % 8)
		if rank == 9 {
			want = 0
		}
		require.Equal(t, want, m.get(rank))
	}
}

// Errors name calls as the language of the program does.
func TestNamesInC(t *testing.T) {
	for call, name := range map[Call]string{"Put": "MPI_Put", "Accumulate": "MPI_Accumulate",
		"FetchAndOp": "MPI_Fetch_and_op", "CompareAndSwap": "MPI_Compare_and_swap", "Fence": "MPI_Win_fence",
		"LockAll": "MPI_Win_lock_all"} {
		var e *CallError
		require.ErrorAs(t, Error("%s first", call), &e)
		require.Equal(t, "wrong synchronisation: "+name+" first", e.InC())
		require.Equal(t, "wrong synchronisation: "+string(call)+" first", e.Error())
	}
	e := &CallError{ErrSync, "%s of %d", []any{Call("Put"), 3}}
	require.Equal(t, "wrong synchronisation: MPI_Put of 3", e.InC())
}
