package graph

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
)

func TestSizes(t *testing.T) {
	assert.EqualValues(t, 32, unsafe.Sizeof(Op{}))
	assert.EqualValues(t, 4, unsafe.Sizeof(Dependent(0)))
}
