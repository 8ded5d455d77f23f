// Package observe shows what the ranks of a job do, with their numbers: CPU writes one CPU profile of all, for
// go tool pprof, and Log has records of log/slog tell their rank.
package observe
