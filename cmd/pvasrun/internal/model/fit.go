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

const modelFitDescription = `Finds the parameters of the LogGPS model: measures round trips and sends between two ` +
	`ranks, with and without a loop between send and receive, and fits equations (12) to (14) of the paper. With ` +
	`--from it fits times that were measured before, of lines kind,k_bytes,w_ns,t_ns with rtt, send or exchange as kind.

Each parameter comes with its 95 % interval, or is reported as not determined. warm: all messages lie in the same ` +
	`memory; cold: each lies where no cache has it. S is where the times of messages jump; besides, the longest ` +
	`message whose sender does not wait for a late receiver is sought, which is what S means.

With -o the time of collective calls is measured, too, as a whole and by each algorithm, for the programs that are ` +
	`predicted with --machine.`

func executeModelFit(args []string) error {
	var f fitFlags
	if err := cli.ParseOnly("pvasrun model fit", modelFitDescription, &f, args); err != nil {
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
	if runtime.NumCPU() < 2 {
		fmt.Fprintln(os.Stderr,
			"pvasrun: model fit: warning: it goes on with one CPU, where the times have those of the other "+
				"rank in them: use two")
	}
	if f.Repeat > 1 {
		return cli.Measuring(f.repeat)
	}
	return cli.Measuring(func(ctx context.Context) error {
		found, err := f.measure(ctx, time.Duration(f.MaxSeconds))
		if err != nil {
			return err
		}
		return f.tell(found)
	})
}

// tell writes and prints what was found. A file that can not be written is no reason to lose the rest.
func (f *fitFlags) tell(all []fitted) (err error) {
	for i, r := range all {
		for _, w := range []struct {
			file  string
			write func(io.Writer) error
		}{
			{f.Output, r.machine(f.source()).Write},
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
