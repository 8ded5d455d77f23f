package runner

import (
	"strconv"
	"time"
)

// Seconds is a limit as an argument of a rank program.
func Seconds(limit time.Duration) string { return strconv.FormatFloat(limit.Seconds(), 'f', -1, 64) }

func Choose(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}
