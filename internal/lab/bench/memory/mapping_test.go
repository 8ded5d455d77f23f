package memory

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMappingRepetitions(t *testing.T) {
	c := MappingConfig{Repetitions: 200}
	for ranks, want := range map[int]int{1: 200, 16: 200, 32: 100, 240: 13, 4096: 1} {
		require.Equal(t, want, c.repetitions(ranks), ranks)
	}
}
