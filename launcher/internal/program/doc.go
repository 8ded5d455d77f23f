// Package program finds the programs of a job, or builds them from Go packages.
package program
