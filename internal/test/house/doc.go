// Package house holds the rules of this repository that a machine can check, as
// tests: which package may import which, where unsafe and the kernel's interface
// may be used, how long files and functions may be, that every package says what
// it promises, and that what the documents show is there: files behind links, Go code,
// messages. It has no code of its own to import.
//
// A new package gets a line in layers_test.go; without it the tests fail.
package house
