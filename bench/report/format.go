package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/docker/go-units"
)

// number prints three significant digits, and thousands in groups.
func number(v float64) string {
	if v == 0 {
		return "0"
	}
	digits := 2 - int(math.Floor(math.Log10(math.Abs(v))))
	text := strconv.FormatFloat(v, 'f', max(digits, 0), 64)
	if digits <= 0 {
		return grouped(text)
	}
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// grouped puts a comma between thousands of a whole number.
func grouped(digits string) string {
	sign := ""
	if strings.HasPrefix(digits, "-") {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// lowHigh prints a range, and nothing where there is none.
func lowHigh(s stat, scale float64) string {
	low, high := number(s.low*scale), number(s.high*scale)
	if low == high {
		return ""
	}
	return low + "–" + high
}

// ratio prints a quotient.
func ratio(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) || v <= 0 {
		return ""
	}
	if v >= 0.1 {
		return fmt.Sprintf("%.2f×", v)
	}
	return fmt.Sprintf("%.*f×", 1-int(math.Floor(math.Log10(v))), v)
}

// unclear marks a ratio of two whose ranges overlap: they are not told apart.
const unclear = "≈ "

// compared is the ratio of two, marked where it may be chance.
func compared(v float64, a, b stat) string {
	text := ratio(v)
	if text != "" && a.overlaps(b) {
		return unclear + text
	}
	return text
}

// percent prints by how much a quotient is above or below 1.
func percent(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "not measured"
	}
	return fmt.Sprintf("%+.1f %%", 100*(v-1))
}

// size prints a number of bytes.
func size(n int) string {
	return units.CustomSize("%.4g %s", float64(n), 1024, []string{"B", "KiB", "MiB", "GiB"})
}
