package check

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/msg/window/epoch"
)

// Which operations of two ranks on the same bytes meet.
func TestMeets(t *testing.T) {
	fenced := func(by uint16, writes bool, fences uint32) accessed {
		return accessed{by: by, writes: writes, access: uint16(epoch.Active), fences: fences}
	}
	locked := func(by uint16, writes bool) accessed {
		return accessed{by: by, writes: writes, access: uint16(epoch.Locked)}
	}
	for name, c := range map[string]struct {
		first, second accessed
		at            uintptr
		meet          bool
	}{
		"two that write":             {fenced(Put, true, 1), fenced(Put, true, 1), 8, true},
		"the first writes":           {fenced(Put, true, 1), fenced(Get, false, 1), 8, true},
		"the second writes":          {locked(Get, false), locked(Put, true), 8, true},
		"two that read":              {fenced(Get, false, 1), fenced(Get, false, 1), 8, false},
		"behind a fence":             {fenced(Put, true, 1), fenced(Put, true, 2), 8, false},
		"a lock behind a fence":      {fenced(Put, true, 1), locked(Put, true), 8, false},
		"two accumulates":            {locked(Accumulate, true), locked(FetchAndOp, true), 8, false},
		"two of one kind":            {locked(Accumulate, true), locked(Accumulate, true), 8, false},
		"an accumulate and a put":    {locked(Accumulate, true), locked(Put, true), 8, true},
		"beside one another":         {locked(Put, true), locked(Put, true), 16, false},
		"the last byte of the first": {locked(Put, true), locked(Put, true), 15, true},
	} {
		t.Run(name, func(t *testing.T) {
			var of table
			c.second.origin = 1
			require.NoError(t, of.add(c.first, []datatype.Segment{{Addr: 8, Len: 8}}))
			err := of.add(c.second, []datatype.Segment{{Addr: c.at, Len: 8}})
			if !c.meet {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, ErrConflict)
			require.ErrorContains(t, err, "rank 0 has accessed bytes")
		})
	}
}

// An operation is forgotten when it is done, but for those of Fence: the number of the epoch tells.
func TestForget(t *testing.T) {
	var of table
	here := []datatype.Segment{{Addr: 8, Len: 8}}
	require.NoError(t, of.add(accessed{writes: true, access: uint16(epoch.Locked)}, here))
	require.Error(t, of.add(accessed{writes: true, access: uint16(epoch.Locked), origin: 1}, here))
	of.forget(func(o *accessed) bool { return o.origin == 0 })
	require.NoError(t, of.add(accessed{writes: true, access: uint16(epoch.Active), origin: 1}, here))
	of.forget(func(o *accessed) bool { return true })
	require.Error(t, of.add(accessed{writes: true, access: uint16(epoch.Active)}, here))
}
