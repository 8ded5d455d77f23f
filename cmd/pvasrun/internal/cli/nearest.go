package cli

import "strings"

// Nearest returns the name that was probably meant by a word, "" if there is none: no more than one letter in three is
// left out, added, changed, or has changed places with the next. Dashes before them are no letters.
func Nearest(word string, names []string) (nearest string) {
	word = strings.TrimLeft(word, "-")
	best := min(len(word)/3, 2) + 1
	for _, name := range names {
		if d := distance(word, strings.TrimLeft(name, "-")); d < best {
			best, nearest = d, name
		}
	}
	return nearest
}

// distance is the number of such changes between two words.
func distance(a, b string) int {
	const longest = 64
	if len(a) > longest || len(b) > longest {
		return longest
	}
	var d [longest + 1][longest + 1]int
	for i := range len(a) + 1 {
		for j := range len(b) + 1 {
			switch {
			case i == 0 || j == 0:
				d[i][j] = i + j
				continue
			case a[i-1] == b[j-1]:
				d[i][j] = d[i-1][j-1]
			default:
				d[i][j] = 1 + min(d[i-1][j], d[i][j-1], d[i-1][j-1])
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(a)][len(b)]
}
