package timed

import (
	"context"
	"fmt"

	"github.com/gopvas/gopvas/internal/lab/bench/runner"
	"github.com/gopvas/gopvas/launcher"
)

// Calls runs a job of two ranks that makes calls of many kinds and computes nothing between them.
// adapt has the job recorded: what lies between calls is then the cost of recording them.
func Calls(ctx context.Context, who runner.Contestant, adapt func(*launcher.Job)) error {
	if _, err := who.RunOurs(ctx, 2, []string{"calls"}, adapt); err != nil {
		return fmt.Errorf("bench: calls of %s: %w", who, err)
	}
	return nil
}
