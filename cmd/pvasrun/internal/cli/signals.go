package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"github.com/gopvas/gopvas/launcher"
)

// quits has a QUIT that came before a job runs.
var quits = make(chan os.Signal, 1)

// CatchQuit is called first: QUIT makes a job say what its ranks do, and ends nothing, also while no job runs.
func CatchQuit() {
	if !signal.Ignored(syscall.SIGQUIT) {
		signal.Notify(quits, syscall.SIGQUIT)
	}
}

// JobSignals is launcher.ForwardedSignals with a QUIT that came before.
func JobSignals() (signals <-chan os.Signal, stop func()) {
	all, stop := launcher.ForwardedSignals()
	select {
	case quit := <-quits:
		select {
		case all <- quit:
		default: // full of signals that came meanwhile
		}
	default:
	}
	return all, stop
}

// UntilSignal runs a function until it returns, or a signal asks for an end. An error of the function after
// that signal comes from it, such as that of a command that its context has ended: the signal is told.
func UntilSignal(run func(context.Context) error) error {
	ctx, stop := interruptible()
	defer stop()
	err := run(ctx)
	interrupted, ok := errors.AsType[launcher.Interrupted](context.Cause(ctx))
	if err == nil || !ok || errors.Is(err, interrupted) {
		return err
	}
	return interrupted
}

// interruptible returns a context that ends at the signals that ask for an end, so that
// a benchmark leaves no rank and no file behind. Its cause is a launcher.Interrupted.
// What is ignored stays so.
func interruptible() (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	asked := make(chan os.Signal, 1)
	for _, sig := range []os.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		if !signal.Ignored(sig) {
			signal.Notify(asked, sig)
		}
	}
	go func() {
		select {
		case sig := <-asked:
			cancel(launcher.Interrupted{Signal: sig.(syscall.Signal)})
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(asked)
		cancel(nil)
	}
}
