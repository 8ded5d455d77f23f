package cli

import (
	"fmt"
	"io"
	"strings"
)

// PrintExamples prints the examples of a command, which is named with its arguments.
func PrintExamples(w io.Writer, command string) error {
	list := examplesOf(command)
	if len(list) == 0 {
		return nil
	}
	text := "Examples:\n"
	for i := 0; i < len(list); i += 2 {
		text += fmt.Sprintf("  # %s\n  %s\n", list[i], list[i+1])
	}
	_, err := io.WriteString(w, text)
	return err
}

// examplesOf are those of the command, or of the one that it is part of.
func examplesOf(command string) []string {
	words := strings.Fields(command)
	for n := len(words); n > 0; n-- {
		if list := Examples[strings.Join(words[:n], " ")]; list != nil {
			return list
		}
	}
	return nil
}
