package cli

import (
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/jessevdk/go-flags"
)

// Completing tells whether a shell asks how the last argument may go on, by the
// variable that go-flags has for it; then nothing is executed. The answer is a word a
// line. No answer leaves it to the shell, which knows files.
//
// The answers are made here and not by go-flags, which does not know that flags end
// where a program begins, nor what values a flag has to choose from.
func Completing() bool { return os.Getenv("GO_FLAGS_COMPLETION") != "" }

// Offer prints those of the words that begin as the last argument does.
func Offer(words []string, args []string) error {
	begun := ""
	if len(args) > 0 {
		begun = args[len(args)-1]
	}
	slices.Sort(words)
	for _, w := range words {
		if strings.HasPrefix(w, begun) {
			fmt.Println(w)
		}
	}
	return ExitStatus(0)
}

// AsksForCommand tells whether the last argument may become the name of a command.
func AsksForCommand(args []string) bool {
	return Completing() && (len(args) == 0 || len(args) == 1 && !strings.HasPrefix(args[0], "-"))
}

// offerFlags answers for a command line with the flags of p.
func offerFlags(p *flags.Parser, args []string) error {
	if len(args) == 0 {
		return ExitStatus(0)
	}
	last := args[len(args)-1]
	opt, program := before(p, args[:len(args)-1])
	name, _, hasValue := strings.Cut(last, "=")
	switch {
	case program:
		return ExitStatus(0)
	case opt != nil:
		return Offer(valuesOf(opt, last, ""), args)
	case hasValue:
		var words []string
		if opt := OptionNamed(p, name); opt != nil {
			words = valuesOf(opt, last[len(name)+1:], name+"=")
		}
		return Offer(words, args)
	case !strings.HasPrefix(last, "-"):
		return ExitStatus(0)
	}
	var words []string
	for _, opt := range Options(p) {
		words = append(words, "--"+opt.LongName)
		if opt.ShortName != 0 {
			words = append(words, "-"+string(opt.ShortName))
		}
	}
	return Offer(slices.DeleteFunc(words, func(w string) bool { return w == "--" }), args)
}

// A Listed is the value of a flag that knows its items: it is a list, or is checked in more ways than the parser has.
type Listed interface{ Items() []string }

// valuesOf are the values that a flag may have, of which some is typed; the last item of a
// list goes on. Each follows what stands before it.
func valuesOf(opt *flags.Option, typed, before string) (words []string) {
	values, there := opt.Choices, ""
	if list, ok := opt.Value().(Listed); ok {
		values, there = list.Items(), typed[:strings.LastIndex(typed, ",")+1]
	}
	for _, v := range values {
		if !slices.Contains(strings.Split(there, ","), v) {
			words = append(words, before+there+v)
		}
	}
	return words
}

// before looks at the arguments before the last one: opt is the flag whose value comes
// next, and program tells whether the program, to which all further arguments belong,
// has been named.
func before(p *flags.Parser, args []string) (opt *flags.Option, program bool) {
	for _, a := range args {
		switch {
		case opt != nil:
			opt = nil
		case a == "--" || !strings.HasPrefix(a, "-"):
			return nil, true
		default:
			name, _, hasValue := strings.Cut(a, "=")
			if o := OptionNamed(p, name); o != nil && !hasValue && TakesValue(o) {
				opt = o
			}
		}
	}
	return opt, false
}

// TakesValue tells whether a flag is followed by a value.
func TakesValue(opt *flags.Option) bool {
	kind := opt.Field().Type.Kind()
	return !opt.OptionalArgument && kind != reflect.Bool && kind != reflect.Func
}

// Options are all flags of a parser, those of groups in groups and help among them.
func Options(p *flags.Parser) []*flags.Option {
	return append(optionsOf(p.Groups()), &flags.Option{LongName: "help", ShortName: 'h'}) // which is in no group
}

func optionsOf(groups []*flags.Group) (all []*flags.Option) {
	for _, g := range groups {
		all = append(append(all, g.Options()...), optionsOf(g.Groups())...)
	}
	return all
}

// OptionNamed returns the flag that a word such as --btl or -n stands for, or nil.
func OptionNamed(p *flags.Parser, word string) *flags.Option {
	if long, ok := strings.CutPrefix(word, "--"); ok {
		return p.FindOptionByLongName(long)
	}
	if short := []rune(word); len(short) == 2 {
		return p.FindOptionByShortName(short[1])
	}
	return nil
}
