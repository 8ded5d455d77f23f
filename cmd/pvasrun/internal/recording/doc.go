// Package recording is --trace of pvasrun: it has a job recorded in a file. It never replaces a file that is no trace,
// and never one that another job writes to.
package recording
