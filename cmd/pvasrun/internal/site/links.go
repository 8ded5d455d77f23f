package site

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
)

// Bits is a rate in bits per second: a number with k, M or G (or K, m, g), which are powers of 1000.
type Bits int

// UnmarshalFlag parses a flag's value.
func (v *Bits) UnmarshalFlag(text string) error {
	unit, digits := 1, text
	if n := len(text); n > 0 {
		if i := strings.IndexByte("kmg", text[n-1]|0x20); i >= 0 {
			unit, digits = []int{1e3, 1e6, 1e9}[i], text[:n-1]
		}
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n < 1 || n > 1e12/unit {
		return fmt.Errorf("%q is no rate: write for example 100M or 1G", text)
	}
	*v = Bits(n * unit)
	return nil
}

// CheckLinks refuses links that carry no packet.
func CheckLinks(rate Bits, buffer cli.Size) error {
	switch {
	case rate > 0 && rate < 8000:
		return errors.New("--rate: at least 8k, which is 8000 bits per second")
	case rate > 0 && (buffer < 4<<10 || buffer > 1<<30):
		return errors.New("--buffer: at least 4KiB, or no packet passes the switch, and at most 1GiB")
	}
	return nil
}
