// Package jobtest runs the ranks of a job as processes in tests: the test binary
// starts itself again, once per rank, and does for them what pvasrun does in the
// sm task model. It has none of pvasrun's other duties, so tests of packages below
// the launcher need no launcher. Create makes a job for ranks that are goroutines.
package jobtest
