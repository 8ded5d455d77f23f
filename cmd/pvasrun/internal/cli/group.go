package cli

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
)

// ExecuteOne carries out the command of a group that the first argument names. usage lists the
// commands in the help. If there is none of that name the error has the text says.
func ExecuteOne(group, usage string, commands map[string]func([]string) error, args []string, says string) error {
	if AsksForCommand(args) {
		return Offer(slices.Sorted(maps.Keys(commands)), args)
	}
	if AsksForHelp(args) {
		return printCommands(os.Stdout, group, usage)
	}
	if len(args) == 0 || commands[args[0]] == nil {
		return Mistake(errors.New(says))
	}
	return commands[args[0]](args[1:])
}

// AsksForHelp tells whether the help of a group of commands is wanted.
func AsksForHelp(args []string) bool {
	return len(args) > 0 && (args[0] == "-h" || args[0] == "--help")
}

// printCommands prints the help of a group of commands.
func printCommands(w io.Writer, group, commands string) error {
	if _, err := fmt.Fprintf(w,
		"Usage:\n%s\n\nEach command has flags and a help of its own: pvasrun %s COMMAND --help.\n\n",
		commands, group); err != nil {
		return err
	}
	return PrintExamples(w, "pvasrun "+group)
}
