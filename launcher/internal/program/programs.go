package program

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"

	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/launcher/internal/fate"
	"github.com/gopvas/gopvas/launcher/internal/output"
)

// List are those of a job, by app. One that several apps run stands there several times.
type List []*Program

// FindAll finds or builds programs, each once, or makes them of an image if there is one. A signal that would
// end the job ends a build, QUIT is answered after it. The caller closes them.
func FindAll(ctx context.Context, names []string, image func(name string) []byte, signals <-chan os.Signal,
	stderr io.Writer) (List, error) {
	ctx, cancel := context.WithCancel(ctx)
	var interrupted error
	asked := false
	var watch sync.WaitGroup
	watch.Go(func() {
		interrupted = awaitInterrupt(ctx, signals, &asked)
		cancel()
	})
	list, err := findEach(ctx, names, image, stderr)
	cancel()
	watch.Wait()
	if asked {
		_, _ = io.WriteString(output.OrDiscard(stderr), "pvasrun: no rank has been started yet\n") // nobody misses it
	}
	if interrupted != nil {
		err = interrupted
	}
	if err != nil {
		list.Close()
		return nil, err
	}
	return list, nil
}

// awaitInterrupt returns the first signal that would end the job, or nil when
// ctx ends. asked becomes true if QUIT has asked what the ranks do.
func awaitInterrupt(ctx context.Context, signals <-chan os.Signal, asked *bool) error {
	for {
		select {
		case sig := <-signals:
			if number, ok := sig.(syscall.Signal); ok && fate.EndsWait(sig) {
				return fmt.Errorf("launcher: build programs: %w", fate.Interrupted{Signal: number})
			}
			*asked = *asked || sig == syscall.SIGQUIT
			if sig == syscall.SIGTSTP {
				_ = sys.RaiseDefault(syscall.SIGTSTP) // an error: then there is no pause
			}
		case <-ctx.Done():
			return nil
		}
	}
}

func findEach(ctx context.Context, names []string, image func(name string) []byte, stderr io.Writer) (list List,
	err error) {
	found := map[string]*Program{}
	for _, name := range names {
		p := found[name]
		if p == nil {
			if sent := image(name); sent != nil {
				p, err = sentProgram(name, sent)
			} else {
				p, err = FindProgram(ctx, name, output.OrDiscard(stderr))
			}
			if err != nil {
				return list, err
			}
			found[name] = p
		}
		list = append(list, p)
	}
	return list, nil
}

func (list List) Close() {
	for _, p := range list {
		p.Close()
	}
}
