package cli

import (
	_ "embed"
	"fmt"
	"io"
	"strings"
	"sync"
)

//go:embed help.txt
var helpText string

// A help is what help.txt says of a command.
type help struct {
	about    string   // paragraphs
	commands string   // of a group: lines, each a command and what it is for
	examples []string // a line for people, a command line, and so on
}

// helps are by the names of the commands. They are parsed when they are first asked for, because every job starts this
// program three times: as supervisor, host and guard.
var helps = sync.OnceValue(func() map[string]*help { return parseHelps(helpText) })

// parseHelps reads the form that the first block of help.txt describes.
func parseHelps(text string) map[string]*help {
	all := map[string]*help{}
	h := new(help) // of no command: the first block
	for block := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		line := strings.ReplaceAll(block, "\n", " ")
		switch {
		case strings.HasPrefix(block, "["):
			h = new(help)
			for name := range strings.SplitSeq(strings.Trim(line, "[]"), ", ") {
				all[name] = h
			}
		case strings.HasPrefix(block, "  "):
			h.commands = block
		case strings.HasPrefix(block, "# "):
			h.examples = strings.Split(block, "\n")
		case h.about == "":
			h.about = line
		default:
			h.about += "\n\n" + line
		}
	}
	return all
}

// helpOf is that of a command, which is named with its arguments, or of the first command that it is part of and
// for which is holds.
func helpOf(command string, is func(*help) bool) *help {
	words := strings.Fields(command)
	for n := len(words); n > 0; n-- {
		if h := helps()[strings.Join(words[:n], " ")]; h != nil && is(h) {
			return h
		}
	}
	return new(help)
}

// printExamples prints the examples of a command, which is named with its arguments.
func printExamples(w io.Writer, command string) error {
	list := helpOf(command, func(h *help) bool { return h.examples != nil }).examples
	text := "Examples:\n  " + strings.Join(list, "\n  ") + "\n"
	_, err := io.WriteString(w, text)
	return err
}

// PrintGroup prints the help of a group of commands: usage, then the commands, then what more there is to say.
func PrintGroup(w io.Writer, group, usage, more string) error {
	if _, err := fmt.Fprintf(w, "Usage:\n%s%s\n\n%s", usage, helps()[group].commands, more); err != nil {
		return err
	}
	return printExamples(w, group)
}

// Examples are the command lines in the help of all commands.
func Examples() (lines []string) {
	for _, h := range helps() {
		for i := 1; i < len(h.examples); i += 2 {
			lines = append(lines, h.examples[i])
		}
	}
	return lines
}
