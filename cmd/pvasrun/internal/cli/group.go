package cli

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
)

// ExecuteOne carries out the command of a group that the first argument names. If there is none of that name the
// error has the text says.
func ExecuteOne(group string, commands map[string]func([]string) error, args []string, says string) error {
	if AsksForCommand(args) {
		return Offer(slices.Sorted(maps.Keys(commands)), args)
	}
	if AsksForHelp(args) {
		return PrintGroup(os.Stdout, "pvasrun "+group, "",
			fmt.Sprintf("Each command has flags and a help of its own: pvasrun %s COMMAND --help.\n\n", group))
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
