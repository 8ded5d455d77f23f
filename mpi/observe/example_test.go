package observe_test

import (
	"log/slog"
	"os"

	"github.com/gopvas/gopvas/mpi"
	"github.com/gopvas/gopvas/mpi/observe"
)

// Where do the ranks spend their time? go tool pprof -http=: -tagroot=rank cpu.pprof
func ExampleCPU() {
	mpi.Run(func(world *mpi.Comm) error {
		file, err := os.CreateTemp("", "cpu.pprof") // os.Create, of rank 0
		if err != nil {
			return err
		}
		defer os.Remove(file.Name())
		stop, err := observe.CPU(world, file)
		if err != nil {
			return err
		}
		sum := 0
		for i := range 1_000_000 {
			sum += i
		}
		if _, err := mpi.AllreduceOne(world, sum, mpi.Sum[int]()); err != nil {
			return err
		}
		if err := stop(); err != nil {
			return err
		}
		return file.Close()
	})
}

// Each record tells its rank.
func ExampleLog() {
	log := slog.New(observe.Log(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{} // the same text each time
			}
			return a
		},
	})))
	mpi.Run(func(world *mpi.Comm) error {
		log.Info("solved", "steps", 12)
		return nil
	})
	// Output: level=INFO msg=solved rank=0 steps=12
}
