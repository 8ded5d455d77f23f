package bench

import (
	"bufio"
	"context"
	"errors"
	"os"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/internal/lab/bench/report"
	"github.com/gopvas/gopvas/internal/lab/bench/results"
)

func executeDiff(_ context.Context, args []string) error {
	var f struct {
		Alpha float64 `long:"alpha" env:"ALPHA" value-name:"P" default:"0.05" description:"list differences with p below this"`
		All   bool    `long:"all" env:"ALL" description:"list all numbers, those without a difference with ~"`
	}
	names, err := cli.ParseMixed("pvasrun bench diff", "[flags] OLD NEW", &f, args)
	if err != nil {
		return err
	}
	if len(names) != 2 {
		return cli.Mistake(errors.New("bench diff: name two files that bench all has written"))
	}
	if !(f.Alpha > 0 && f.Alpha < 1) {
		return cli.Mistake(errors.New("--alpha: a number between 0 and 1"))
	}
	var files [2]results.File
	for i, name := range names {
		if files[i], err = results.Load(name); err != nil {
			return cli.InputMistake(err)
		}
	}
	out := bufio.NewWriter(os.Stdout)
	err = report.Compare(out, files[0], files[1],
		report.DiffConfig{Names: [2]string{names[0], names[1]}, Alpha: f.Alpha, All: f.All})
	return errors.Join(err, out.Flush())
}
