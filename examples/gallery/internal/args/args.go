package args

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// number is the value of a flag, from 0 to most.
type number struct{ value, most int }

func (n *number) String() string { return strconv.Itoa(n.value) }

func (n *number) Set(text string) error {
	value, err := strconv.Atoi(text)
	if err != nil || value < 0 || value > n.most {
		return fmt.Errorf("want a number from 0 to %d", n.most)
	}
	n.value = value
	return nil
}

// Number is flag.Int for numbers from 0 to most.
func Number(name string, value, most int, usage string) *int {
	n := &number{value, most}
	flag.Var(n, name, usage)
	return &n.value
}

// Parse parses the flags, and returns the words behind them. There is one for each word of operands, such as "FILE", or
// more if that ends with "..."; with "" there is none.
func Parse(operands string) []string {
	flag.Usage = func() {
		fmt.Fprintf(flag.CommandLine.Output(), "usage: %s [flags] %s\n", filepath.Base(os.Args[0]), operands)
		flag.PrintDefaults()
	}
	flag.Parse()
	if wrong := check(flag.Args(), operands); wrong != "" {
		fmt.Fprintln(flag.CommandLine.Output(), wrong)
		flag.Usage()
		os.Exit(2)
	}
	return flag.Args()
}

// check says what is wrong with the words behind the flags.
func check(words []string, operands string) string {
	least := len(strings.Fields(operands))
	late := slices.IndexFunc(words, func(word string) bool { return len(word) > 1 && word[0] == '-' })
	switch {
	case late >= 0:
		return "flags come before " + words[0] + ": " + words[late]
	case len(words) < least:
		return "there is no " + operands
	case len(words) > least && !strings.HasSuffix(operands, "..."):
		return "what is this for: " + words[least]
	}
	return ""
}
