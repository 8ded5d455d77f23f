// Package args reads the command lines of the gallery. What is wrong there is told with the usage, and ends the rank
// with exit code 2, as package flag has it.
package args
