package chart

import (
	"math"
	"strconv"
	"strings"
)

// An Axis maps numbers to places. Its ends and ticks are numbers as mapped: logarithms, if it is
// logarithmic.
type Axis struct {
	Log       bool
	Low, High float64
	Ticks     []Tick
}

// A Tick is a place on an axis.
type Tick struct {
	At    float64 // as mapped
	Label string
}

// Of maps a number.
func (a *Axis) Of(v float64) float64 {
	if a.Log {
		return math.Log10(v)
	}
	return v
}

// pixel is where a number as mapped lies between two pixels, which the ends have.
func (a *Axis) pixel(v, low, high float64) float64 {
	return low + (high-low)*(v-a.Low)/(a.High-a.Low)
}

// Logarithmic has ticks at 1, 2 and 5 of each decade, or where that are many at 1 only.
func Logarithmic(low, high float64, label func(float64) string) Axis {
	factors := []float64{1, 2, 5}
	if high/low > 200 {
		factors = factors[:1]
	}
	a := Axis{Log: true}
	for e := math.Floor(math.Log10(low)); len(a.Ticks) == 0 || a.High < math.Log10(high); e++ {
		for _, f := range factors {
			v := f * math.Pow(10, e)
			if a.High >= math.Log10(high) && len(a.Ticks) > 1 {
				break
			}
			a.High = math.Log10(v)
			a.Ticks = append(a.Ticks, Tick{a.High, label(v)})
		}
	}
	for len(a.Ticks) > 2 && a.Ticks[1].At <= math.Log10(low) {
		a.Ticks = a.Ticks[1:]
	}
	a.Low = a.Ticks[0].At
	return a
}

// Linear has about five ticks at round numbers.
func Linear(low, high float64, label func(float64) string) Axis {
	if high <= low {
		high = low + 1
	}
	rough := (high - low) / 4
	step := math.Pow(10, math.Floor(math.Log10(rough)))
	for _, f := range []float64{1, 2, 2.5, 5, 10} {
		if f*step >= rough {
			step *= f
			break
		}
	}
	a := Axis{Low: math.Floor(low/step) * step, High: math.Ceil(high/step) * step}
	for i := 0; a.Low+float64(i)*step <= a.High+step/2; i++ {
		v := a.Low + float64(i)*step
		a.Ticks = append(a.Ticks, Tick{v, label(v)})
	}
	return a
}

// Number is a number with three significant digits, its thousands in groups.
func Number(v float64) string {
	if v == 0 {
		return "0"
	}
	digits := 2 - int(math.Floor(math.Log10(math.Abs(v))))
	text := strconv.FormatFloat(v, 'f', max(digits, 0), 64)
	if digits <= 0 {
		return Grouped(text)
	}
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// Grouped puts a comma between thousands of a whole number.
func Grouped(digits string) string {
	sign := ""
	if strings.HasPrefix(digits, "-") {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}
