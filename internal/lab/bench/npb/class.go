package npb

import "fmt"

// A Class is a problem size of NPB 3: S (sample), W (workstation), or A, B and C,
// each about four times the one before. Class C takes gigabytes.
type Class string

// The classes there are.
const (
	S Class = "S"
	W Class = "W"
	A Class = "A"
	B Class = "B"
	C Class = "C"
)

// ParseClass turns "S", "W", "A", "B" or "C" into a Class.
func ParseClass(s string) (Class, error) {
	switch c := Class(s); c {
	case S, W, A, B, C:
		return c, nil
	}
	return "", fmt.Errorf("npb: there is no class %q: choose S, W, A, B or C", s)
}

// powerOfTwo is the rule of most benchmarks.
func powerOfTwo(ranks, most int) error {
	if ranks < 1 || ranks&(ranks-1) != 0 || ranks > most {
		return fmt.Errorf("the number of ranks must be a power of two, %d at most", most)
	}
	return nil
}
