// Package observe tells what each rank of a job does: CPU writes one CPU profile of all ranks, for go tool pprof, and
// Log adds the rank to records of log/slog.
package observe
