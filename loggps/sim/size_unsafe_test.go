package sim

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
)

// With the 32 bytes of an operation in its graph and 4 for each dependency, a simulation
// stays below 80 bytes an operation, also if it records.
func TestSizes(t *testing.T) {
	assert.EqualValues(t, 24, unsafe.Sizeof(state{}))
	assert.EqualValues(t, 16, unsafe.Sizeof(event{}))
	var l log
	assert.EqualValues(t, 8, uintptr(len(l.by))*unsafe.Sizeof(l.by[0][0]))
}
