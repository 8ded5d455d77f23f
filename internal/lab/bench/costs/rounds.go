package costs

import "slices"

// undisturbed returns the time that a quarter of the times do not exceed. It sorts them.
func undisturbed(times []float64) float64 {
	slices.Sort(times)
	return times[(len(times)-1)/4]
}

// partTime is how long the rounds of a part take together: many calls per reading of the clock, but so
// short that most parts are not disturbed where others use the machine, too.
const partTime = 25e3 // ns

// leastRounds is how many rounds a part has at least: the first one waits for the order.
const leastRounds = 4
