package cli

import (
	"embed"
	"os"
	"strings"
)

// shells have a script each, completion.SHELL, that asks pvasrun for completions.
//
//go:embed completion.bash completion.zsh completion.fish
var shells embed.FS

// ExecuteCompletion prints the script of a shell.
func ExecuteCompletion(args []string) error {
	if AsksForCommand(args) {
		return Offer([]string{"bash", "zsh", "fish"}, args)
	}
	names, flags := args, []string(nil)
	if len(args) > 0 && strings.HasPrefix(args[0], "-") {
		names, flags = nil, args
	}
	if err := ParseOnly("pvasrun completion bash|zsh|fish", &struct{}{}, flags); err != nil {
		return err
	}
	script, err := shells.ReadFile("completion." + strings.Join(names, " "))
	if err != nil {
		return NoCommand("completion", "shell", names, "name one: bash, zsh or fish")
	}
	_, err = os.Stdout.Write(script)
	return err
}
