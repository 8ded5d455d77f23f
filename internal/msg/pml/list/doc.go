// Package list has lists whose nodes are fields of the listed objects: listing allocates nothing, and anything can
// leave from the middle. Callers hold a lock.
package list
