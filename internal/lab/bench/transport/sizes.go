package transport

import "fmt"

// CheckSizes refuses messages that the receiver would not take.
func CheckSizes(sizes ...int) error {
	const longest = 32 << 20 // half of the memory for a peer
	for _, n := range sizes {
		if n > longest {
			return fmt.Errorf("%d bytes: a message has at most 32 MiB", n)
		}
	}
	return nil
}
