//go:build !race

package recorder

const watched = false
