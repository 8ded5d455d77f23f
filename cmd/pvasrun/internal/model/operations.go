package model

import (
	"context"
	"strings"
	"time"

	"github.com/gopvas/gopvas/internal/lab/bench/costs"
	"github.com/gopvas/gopvas/internal/lab/bench/runner"
	"github.com/gopvas/gopvas/internal/msg/coll"
	"github.com/gopvas/gopvas/loggps"
)

// longestOperation is the longest vector or block of the collective calls that are measured, in bytes.
// The times of longer ones are on the line through the last two lengths.
const longestOperation = 1 << 20

// measureOperations measures collective calls by all algorithms that ranks can use.
func measureOperations(ctx context.Context, who runner.Contestant, distance float64, ranks int,
	limit time.Duration) ([]loggps.Operation, error) {
	return costs.Operations(ctx, who, costs.OperationsConfig{
		Ranks: ranks, Choices: choicesInTurn(coll.Choices()), Largest: longestOperation,
		Limit: limit, Distance: distance,
	})
}

// choicesInTurn makes lists of operation=algorithm, so that each item is in one of them, and no list has
// two of an operation. Operations that do not block are left out.
func choicesInTurn(items []string) (lists []string) {
	number := map[string]int{}
	for _, item := range items {
		operation, _, _ := strings.Cut(item, "=")
		if strings.HasPrefix(operation, "i") {
			continue
		}
		i := number[operation]
		number[operation]++
		if i == len(lists) {
			lists = append(lists, item)
		} else {
			lists[i] += "," + item
		}
	}
	return lists
}
