package model

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/loggps/fit"
)

func executeModelFit(args []string) error {
	var f fitFlags
	if err := cli.ParseOnly("pvasrun model fit", &f, args); err != nil {
		return err
	}
	if err := f.check(); err != nil {
		return cli.Mistake(fmt.Errorf("model fit: %w", err))
	}
	if f.From != "" {
		r, err := f.fromFile()
		if err != nil {
			return modelMistake(err)
		}
		return f.tell([]fitted{r})
	}
	models, err := f.BTL.Here()
	if err != nil {
		return fmt.Errorf("model fit: %w", err)
	}
	f.BTL = models
	if runtime.NumCPU() < 2 {
		fmt.Fprintln(os.Stderr,
			"pvasrun: model fit: warning: it goes on with one CPU, where the times have those of the other "+
				"rank in them: use two")
	}
	if f.Repeat > 1 {
		return cli.UntilSignal(f.repeat)
	}
	return cli.UntilSignal(func(ctx context.Context) error {
		found, err := f.measure(ctx, time.Duration(f.MaxSeconds))
		if err != nil {
			return err
		}
		return f.tell(found)
	})
}

// tell writes and prints what was found. A file that cannot be written is no reason to lose the rest.
func (f *fitFlags) tell(all []fitted) (err error) {
	for i, r := range all {
		for _, w := range []struct {
			file  string
			write func(io.Writer) error
		}{
			{f.machineFile(r.who), r.machine(f.source()).Write},
			{f.Plot, r.plot},
			{f.Samples, func(w io.Writer) error { return fit.WriteCSV(w, r.samples) }},
		} {
			if failed := cli.WriteNamed(w.file, r.who, i, w.write); failed != nil {
				err = errors.Join(err, fmt.Errorf("model fit: %w", failed))
			}
		}
		if f.JSON {
			err = errors.Join(err, json.NewEncoder(os.Stdout).Encode(r.report()))
			continue
		}
		err = errors.Join(err, r.print(os.Stdout))
	}
	return err
}

func (f *fitFlags) source() string {
	return cmp.Or(f.From, fmt.Sprintf("pvasrun model fit, %s", time.Now().Format(time.DateOnly)))
}
