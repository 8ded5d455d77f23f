package testkit

import "testing"

// OneGoroutine skips a test that uses only one goroutine under the race detector: it has no race,
// and takes ten times as long.
func OneGoroutine(t testing.TB) {
	t.Helper()
	if Race {
		t.Skip("one goroutine has no race")
	}
}
