package main

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// Ranks that are started later, and those of other jobs, get a communicator with those that were there.
func TestProcess(t *testing.T) {
	program := programs.Build(t, "./testdata/meets")
	for _, btl := range models(t) {
		t.Run(btl, func(t *testing.T) {
			got := command(t, nil, "--btl", btl, "-n", "2", "--timeout", "60", program, "spawn", program)
			require.Equal(t, 0, got.code, got.stderr)
			require.Equal(t, "5 ranks, the last 3 behind 2\n", got.stdout)

			service := fmt.Sprintf("meets-%s-%d", btl, os.Getpid())
			serves := make(chan finished, 1)
			go func() {
				serves <- command(t, nil, "--btl", btl, "-n", "3", "--timeout", "60", program, "serve", service)
			}()
			for range 2 {
				got := command(t, nil, "--btl", btl, "-n", "2", "--timeout", "60", program, "join", service)
				require.Equal(t, 0, got.code, got.stderr)
			}
			got = <-serves
			require.Equal(t, 0, got.code, got.stderr)
			require.Equal(t, "5 ranks, the last 2 behind 3\n5 ranks, the last 2 behind 3\n", got.stdout)

			got = command(t, nil, "--btl", btl, "-n", "2", "--timeout", "60", program, "spawn", program+"-none")
			require.NotZero(t, got.code)
			require.Contains(t, got.stderr, "spawn: ")
			require.Contains(t, got.stderr, "no such file")
		})
	}
}
