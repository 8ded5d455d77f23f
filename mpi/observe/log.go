package observe

import (
	"context"
	"log/slog"
	"sync"

	"github.com/gopvas/gopvas/internal/msg/comm"
)

// Log returns a handler that passes each record to h. From mpi.Init on it adds the attribute rank, the number in the
// world, outside of groups. A logger may be made with it before Init. It blocks only as h does.
func Log(h slog.Handler) slog.Handler {
	return ranked{h, sync.OnceValue(func() slog.Handler {
		return h.WithAttrs([]slog.Attr{slog.Int("rank", comm.World().Rank())})
	})}
}

// ranked is a handler before Init, and the one since, which is made when it is first used.
type ranked struct {
	before slog.Handler
	since  func() slog.Handler
}

func (r ranked) handler() slog.Handler {
	if comm.World() == nil {
		return r.before
	}
	return r.since()
}

func (r ranked) Enabled(ctx context.Context, l slog.Level) bool { return r.handler().Enabled(ctx, l) }

func (r ranked) Handle(ctx context.Context, record slog.Record) error {
	return r.handler().Handle(ctx, record)
}

func (r ranked) WithAttrs(attrs []slog.Attr) slog.Handler {
	return ranked{r.before.WithAttrs(attrs), sync.OnceValue(func() slog.Handler { return r.since().WithAttrs(attrs) })}
}

func (r ranked) WithGroup(name string) slog.Handler {
	return ranked{r.before.WithGroup(name), sync.OnceValue(func() slog.Handler { return r.since().WithGroup(name) })}
}
