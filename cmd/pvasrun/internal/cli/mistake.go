package cli

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/jessevdk/go-flags"
)

// Explain says in our words what a parser has found wrong with a flag: which, where it
// comes from if not from args, what was given and what is expected. The parser's own
// words have names of Go's types in them and what strconv says, and it has nothing but
// words: it does not tell the flag otherwise. more are options that the command knows beside the parser's flags.
func Explain(p *flags.Parser, args []string, err error, more ...string) error {
	e, ok := errors.AsType[*flags.Error](err)
	if !ok {
		return err
	}
	if e.Type == flags.ErrUnknownFlag {
		name := "--" + between(e.Message, "`", "'")
		if utf8.RuneCountInString(name) == len("--x") {
			name = name[1:]
			for _, arg := range args {
				flag, _, _ := strings.Cut(arg, "=")
				if flag == "-"+name || strings.HasPrefix(flag, name) {
					name = flag // other launchers take whole names after one dash
					break
				}
			}
		}
		var names []string
		for _, opt := range Options(p) {
			if opt.LongName != "" {
				names = append(names, "--"+opt.LongName)
			}
		}
		if near := Nearest(name, append(names, more...)); near != "" {
			return fmt.Errorf("there is no flag %s: is %s meant? %s --help shows all", name, near, p.Name)
		}
		return fmt.Errorf("there is no flag %s: %s --help shows those there are", name, p.Name)
	}
	for _, opt := range optionsOf(p.Groups()) {
		if !strings.Contains(e.Message, "`"+opt.String()+"'") {
			continue
		}
		if e.Type == flags.ErrRequired {
			return fmt.Errorf("%s is missing: write %s", opt, example(opt))
		}
		return fmt.Errorf("%s: %s", origin(opt, args), wrong(opt, e))
	}
	return err
}

// origin names a flag, and its variable if that has the value.
func origin(opt *flags.Option, args []string) string {
	if slices.ContainsFunc(args, func(arg string) bool { return isFlag(arg, opt) }) {
		return opt.String()
	}
	return opt.String() + " from " + opt.EnvKeyWithNamespace()
}

// isFlag tells whether an argument is the flag, with a value or without.
func isFlag(arg string, opt *flags.Option) bool {
	name, _, _ := strings.Cut(arg, "=")
	return name == "--"+opt.LongName || opt.ShortName != 0 && strings.HasPrefix(arg, "-"+string(opt.ShortName))
}

// notANumber is what strconv says.
var notANumber = regexp.MustCompile(`^strconv\.\w+: parsing (".*"): (.*)$`)

// wrong says what is wrong with the value of a flag.
func wrong(opt *flags.Option, e *flags.Error) string {
	switch e.Type {
	case flags.ErrInvalidChoice:
		return notOf(between(e.Message, "`", "' for option"), opt.Choices).Error()
	case flags.ErrNoArgumentForBool:
		return "it takes no value"
	case flags.ErrExpectedArgument:
		if reason := refusal(opt, between(e.Message, "but got option `", "'")); reason != "" {
			return explainValue(opt, reason)
		}
		return "its value is missing: write " + example(opt)
	}
	_, reason, _ := strings.Cut(e.Message, "): ") // the flag and its type are before
	return explainValue(opt, reason)
}

// notOf refuses a value that is none of some words.
func notOf(value string, words []string) error {
	last := len(words) - 1
	return fmt.Errorf("%q: write %s or %s", value, strings.Join(words[:last], ", "), words[last])
}

// refusal says why a flag refuses a negative number, which the parser has taken for another flag. It is empty
// if the value is no number, or is allowed.
func refusal(opt *flags.Option, value string) string {
	if _, err := strconv.ParseFloat(value, 64); err != nil {
		return ""
	}
	if err := opt.Set(&value); err != nil {
		return err.Error()
	}
	return ""
}

// explainValue says in our words why a value is refused.
func explainValue(opt *flags.Option, reason string) string {
	if number := notANumber.FindStringSubmatch(reason); number != nil {
		what := "not a whole number"
		switch opt.Value().(type) {
		case float64:
			what = "not a number"
		case uint:
			if _, err := strconv.Atoi(strings.Trim(number[1], `"`)); err == nil {
				what = "below " + cmp.Or(opt.Field().Tag.Get("least"), "0")
			}
		case bool:
			return number[1] + " is neither true nor false"
		}
		if number[2] == strconv.ErrRange.Error() {
			what = "too large"
		}
		return fmt.Sprintf("%s is %s: write for example %s", number[1], what, example(opt))
	}
	if reason == strconv.ErrSyntax.Error() {
		return "its value begins with a quotation mark and does not end with one: write " + example(opt)
	}
	return reason
}

// example is how the flag is given.
func example(opt *flags.Option) string {
	value := opt.ValueName
	switch opt.Value().(type) {
	case int, uint:
		value = "4"
	case *int: // its default depends on more
		value, _, _ = strings.Cut(opt.DefaultMask, ",")
	}
	if list := slices.Concat(opt.Default, opt.Choices); len(list) > 0 && list[0] != "-1" { // which stands for all
		value = list[0]
	}
	if opt.LongName == "" {
		return fmt.Sprintf("-%c %s", opt.ShortName, value)
	}
	return fmt.Sprintf("--%s %s", opt.LongName, value)
}

// between is the part of a text that the first of two others and the next of the second
// enclose.
func between(text, before, after string) string {
	_, text, _ = strings.Cut(text, before)
	text, _, _ = strings.Cut(text, after)
	return text
}
