package model

import (
	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
)

// modelCommands are lines of help: a command, and what it is for.
const modelCommands = "" +
	`  pvasrun model fit [flags]       measures what messages cost here, as parameters of the model
  pvasrun model run FILE...       predicts when each rank of a program is done
  pvasrun model show FILE         explains where its time goes, and makes a page
  pvasrun model exchange [flags]  predicts exchanges through several network devices`

// Execute carries out what the first argument names.
func Execute(args []string) error {
	commands := map[string]func([]string) error{"run": executeModelRun, "fit": executeModelFit,
		"show": executeModelShow, "exchange": executeModelExchange}
	return cli.ExecuteOne("model", modelCommands, commands, args,
		"model: say what to do: pvasrun model fit, pvasrun model run FILE, pvasrun model show FILE, or "+
			"pvasrun model exchange")
}
