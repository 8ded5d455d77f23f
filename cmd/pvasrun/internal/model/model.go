package model

import (
	"os"
	"runtime/debug"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
)

// Programs have millions of operations: memory is worth more than the time of the collector. Among simulations that
// time is short: what is large has no pointers.
const (
	garbage          = 10 // percent
	simulatedGarbage = 3
)

// collect lets so much garbage stand, and gives back what there is.
func collect(percent int) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
	debug.FreeOSMemory()
}

// Execute carries out what the first argument names.
func Execute(args []string) error {
	collect(garbage)
	commands := map[string]func([]string) error{"run": executeModelRun, "fit": executeModelFit,
		"show": executeModelShow, "export": executeModelExport, "exchange": executeModelExchange}
	return cli.ExecuteOne("model", commands, args,
		"say what to do: pvasrun model fit, pvasrun model run FILE, pvasrun model show FILE, "+
			"pvasrun model export FILE, or pvasrun model exchange")
}
