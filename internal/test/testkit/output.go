package testkit

import (
	"bytes"
	"sync"
)

// Output is what a process writes. It may be read while it grows. Its zero value is empty.
type Output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write adds to the output; any goroutine may call it.
func (o *Output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

// String is the output so far.
func (o *Output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}
