package model

import (
	"errors"
	"fmt"
	"io"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/loggps"
	"github.com/gopvas/gopvas/loggps/goal"
)

func executeModelExport(args []string) error {
	var f struct {
		Output  string `short:"o" long:"output" env:"PVASRUN_MODEL_GOAL" value-name:"FILE" description:"GOAL file to write"`
		Machine string `long:"machine" env:"PVASRUN_MACHINE" value-name:"FILE" description:"parameters that model fit has written: what recording adds to computations is taken off"`
	}
	files, err := cli.ParseMixed("pvasrun model export", "[flags] FILE", &f, args)
	if err != nil {
		return err
	}
	if err := programsThere("model export", files); err != nil {
		return err
	}
	if f.Output == "" {
		return cli.Mistake(errors.New("model export: -o FILE is missing: say where to write"))
	}
	err = cli.Apart([]cli.Named{{By: "-o", File: f.Output}}, cli.Named{By: "the program", File: files[0]},
		cli.Named{By: "the parameters of --machine", File: f.Machine})
	if err == nil {
		err = cli.Writable(f.Output, cli.Goal)
	}
	var on loggps.Machine
	if err == nil && f.Machine != "" {
		on, err = ReadMachine(f.Machine)
	}
	if err != nil {
		return cli.Mistake(fmt.Errorf("model export: %w", err))
	}
	on.Operations = nil // what was measured as a whole is no messages, which GOAL consists of
	p, err := oneProgram("model export", files, &on)
	if err != nil {
		return err
	}
	err = cli.WriteNamed(f.Output, "", 0, func(w io.Writer) error { return goal.Write(w, p.Graph) })
	if err != nil {
		return fmt.Errorf("model export: %w", err)
	}
	return nil
}
