package pmi

import "strings"

// mostLine bounds a line: a longer one is an error.
const mostLine = 64 << 10

// A message is a line of the protocol: names and values.
type message map[string]string

// parse reads a line. Words without = have no value; of equal names the last counts.
func parse(line string) message {
	m := message{}
	for word := range strings.FieldsSeq(line) {
		name, value, _ := strings.Cut(word, "=")
		m[name] = value
	}
	return m
}
