package model

import (
	"os"
	"runtime/debug"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
)

// Execute carries out what the first argument names. Programs have millions of operations: memory is worth more than
// the time of the collector.
func Execute(args []string) error {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(5)
	}
	commands := map[string]func([]string) error{"run": executeModelRun, "fit": executeModelFit,
		"show": executeModelShow, "export": executeModelExport, "exchange": executeModelExchange}
	return cli.ExecuteOne("model", commands, args,
		"say what to do: pvasrun model fit, pvasrun model run FILE, pvasrun model show FILE, "+
			"pvasrun model export FILE, or pvasrun model exchange")
}
