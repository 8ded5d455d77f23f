package cli

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// ExecuteOne carries out the command of a group that the first argument names. The error of another argument, or of
// none, says the advice.
func ExecuteOne(group string, commands map[string]func([]string) error, args []string, advice string) error {
	if AsksForCommand(args) {
		return Offer(slices.Sorted(maps.Keys(commands)), args)
	}
	if AsksForHelp(args) {
		return PrintGroup(os.Stdout, "pvasrun "+group, "",
			fmt.Sprintf("Each command has flags and a help of its own: pvasrun %s COMMAND --help.\n\n", group))
	}
	if len(args) == 0 || commands[args[0]] == nil {
		return NoCommand(group, "command", args[:min(1, len(args))], advice)
	}
	return commands[args[0]](args[1:])
}

// NoCommand is the mistake that args are no command of a group, or that there are none.
func NoCommand(group, kind string, args []string, advice string) error {
	if len(args) == 0 {
		return Mistake(fmt.Errorf("%s: %s", group, advice))
	}
	return Mistake(fmt.Errorf("%s: there is no %s %q: %s", group, kind, strings.Join(args, " "), advice))
}

// AsksForHelp tells whether the help of a group of commands is wanted.
func AsksForHelp(args []string) bool {
	return len(args) > 0 && (args[0] == "-h" || args[0] == "--help")
}
