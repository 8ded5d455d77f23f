package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/internal/lab/bench/evaluation"
	"github.com/gopvas/gopvas/internal/lab/bench/report"
)

func executeReport(_ context.Context, args []string) error {
	var f struct {
		Output string `short:"o" long:"output" env:"REPORT_OUTPUT" value-name:"FILE" default:"report.html" description:"file to write"`
	}
	names, err := cli.ParseMixed("pvasrun bench report", "[flags] RESULTS", &f, args)
	if err != nil {
		return err
	}
	if len(names) != 1 {
		return cli.Mistake(errors.New(
			"bench report: name one file that bench all has written, or a benchmark has printed with --json"))
	}
	if err := cli.Apart([]cli.Named{{By: "-o", File: f.Output}},
		cli.Named{By: "the results", File: names[0]}); err != nil {
		return cli.Mistake(fmt.Errorf("bench report: %w", err))
	}
	if err := cli.Writable(f.Output, cli.Page); err != nil {
		return cli.Mistake(fmt.Errorf("bench report: %w", err))
	}
	file, err := evaluation.Load(names[0])
	if err != nil {
		return cli.InputMistake(err)
	}
	var page bytes.Buffer
	if err := report.Page(&page, file); err != nil {
		return err
	}
	if err := cli.WriteNamed(f.Output, "", 0, func(w io.Writer) error {
		_, err := page.WriteTo(w)
		return err
	}); err != nil {
		return fmt.Errorf("bench report: %w", err)
	}
	return nil
}
