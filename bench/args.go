package bench

import (
	"strconv"
	"time"
)

// seconds is a limit as an argument of a rank program.
func seconds(limit time.Duration) string { return strconv.FormatFloat(limit.Seconds(), 'f', -1, 64) }

func choose(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}
