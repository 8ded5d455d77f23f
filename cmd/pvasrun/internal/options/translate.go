package options

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Flags are those of pvasrun, by a word such as --btl or -n. A parser of them answers.
type Flags interface {
	// Flag tells whether there is such a flag, and whether a value follows it.
	Flag(word string) (known, takesValue bool)
}

// A line is a command line that is being translated.
type line struct {
	flags    Flags
	several  bool // it has several programs
	ours     []string
	begins   int               // where the flags of the program that is read begin in ours
	seen     map[string]string // options by name without dashes, with the value if there is one
	programs []string          // those that a file names, in place of the command line's own
	inFile   bool              // these are such programs
	ofEach   []string          // flags of each program that follows: of -genv and such, or before a file of programs
	perRank  bool              // the program is a file that names that of each rank
	ignored  []ignoredOptions
	notes    []string
}

// ignoredOptions are options, with their values, that are ignored for one reason.
type ignoredOptions struct {
	why   string
	words []string
}

// has tells whether the command line has one of the options, before its program.
func (l *line) has(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		_, seen := l.seen[name]
		return seen
	})
}

func (l *line) value(name string) string { return l.seen[name] }

// ignore notes an option with its values, and why it is ignored.
func (l *line) ignore(why, words string) {
	i := slices.IndexFunc(l.ignored, func(o ignoredOptions) bool { return o.why == why })
	if i < 0 {
		i, l.ignored = len(l.ignored), append(l.ignored, ignoredOptions{why: why})
	}
	l.ignored[i].words = append(l.ignored[i].words, words)
}

func (l *line) warn(text string) {
	if !slices.Contains(l.notes, text) {
		l.notes = append(l.notes, text)
	}
}

// byName is the table by names.
var byName = func() map[string]*option {
	all := map[string]*option{}
	for i := range table {
		for name := range strings.FieldsSeq(table[i].names) {
			all[name] = &table[i]
		}
	}
	return all
}()

// Translate replaces the options of other launchers in the command line of a job, up to each program, by flags of
// pvasrun. The warnings are for the user.
func Translate(f Flags, args []string) (ours, warnings []string, err error) {
	l := &line{flags: f}
	if err := l.translateAll(args); err != nil {
		return nil, nil, err
	}
	if named := l.programs; named != nil {
		l.programs, l.inFile, l.ofEach = nil, true, l.own(l.ours)
		if err := l.translateAll(named); err != nil {
			return nil, nil, err
		}
	}
	var ignored []string
	for _, i := range l.ignored {
		ignored = append(ignored, strings.Join(i.words, ", ")+" ("+i.why+")")
	}
	if ignored != nil {
		warnings = []string{"ignored: " + strings.Join(ignored, "; ")}
	}
	return l.ours, append(warnings, l.notes...), nil
}

// FirstProgram divides the command line of a job behind its first program, at ":".
func FirstProgram(args []string) (own, rest []string, more bool) {
	if i := slices.Index(args, ":"); i >= 0 {
		return args[:i], args[i+1:], true
	}
	return args, nil, false
}

// translateAll appends the command lines of several programs to ours.
func (l *line) translateAll(args []string) error {
	l.several = slices.Contains(args, ":")
	for {
		own, rest, more := FirstProgram(args)
		if err := l.translate(own); err != nil || !more {
			return err
		}
		l.ours, args = append(append(l.ours, ":"), l.ofEach...), rest
	}
}

// A word is an option on the command line.
type word struct {
	text   string   // as it was typed, without a joined value
	values []string // a joined one, or those that follow
}

// translate appends the command line of one program to ours.
func (l *line) translate(args []string) error {
	args = slices.Clone(args)
	l.seen, l.begins = map[string]string{}, len(l.ours)
	for rest := args; len(rest) > 0; { // options may depend on those that follow
		w, after, ok := l.next(rest)
		if !ok {
			break
		}
		l.seen[strings.TrimLeft(w.text, "-")] = strings.Join(w.values, " ")
		rest = after
	}
	for len(args) > 0 {
		w, after, ok := l.next(args)
		if !ok {
			break
		}
		o := l.option(w.text)
		if o == nil {
			l.ours, args = append(l.ours, l.spelled(w, args[:len(args)-len(after)])...), after
			continue
		}
		args = after
		if err := l.act(o, w); err != nil {
			return fmt.Errorf("%s: %w", w.text, err)
		}
	}
	return l.program(args)
}

// program appends the program, or the programs that stand for it.
func (l *line) program(args []string) (err error) {
	if l.perRank {
		l.perRank = false
		if len(args) == 0 {
			return errors.New("--multi-prog: the file that names the programs is missing")
		}
		if len(args) > 1 {
			return fmt.Errorf("--multi-prog: %q behind the file: write the arguments of each program there", args[1])
		}
		n := 0
		if text := cmp.Or(l.value("n"), l.value("np"), l.value("ntasks"), l.value("c")); text != "" {
			if n, err = strconv.Atoi(text); err != nil || n < 1 {
				return fmt.Errorf("-n %s: it is a number of ranks", text)
			}
		}
		programs, err := perRank(args[0], n)
		if err != nil {
			return fmt.Errorf("--multi-prog: %w", err)
		}
		args = programs[0]
		own := l.own(l.ours[l.begins:])
		for _, words := range programs[1:] {
			args = append(append(append(args, ":"), own...), words...)
		}
	}
	if l.programs != nil && len(args) > 0 {
		return fmt.Errorf("%q: a file names the programs of the job (--app, --configfile): write all of them there",
			args[0])
	}
	l.ours = append(l.ours, args...)
	return nil
}

// ofProgram are the long flags of pvasrun that belong to one program.
var ofProgram = []string{"wdir", "clean-env", "initial-errhandler"}

// own returns those of some flags of pvasrun that are of one program of a job, but for the number of its ranks.
func (l *line) own(words []string) (own []string) {
	for rest := slices.Clone(words); len(rest) > 0; {
		w, after, ok := l.next(rest)
		if !ok {
			break
		}
		if strings.HasPrefix(w.text, "-x") || slices.Contains(ofProgram, strings.TrimLeft(w.text, "-")) {
			own = append(own, rest[:len(rest)-len(after)]...)
		}
		rest = after
	}
	return own
}

// spelled returns the words of what is no option of another launcher. It is a flag of pvasrun with one dash or two, or
// the parser refuses it.
func (l *line) spelled(w word, words []string) []string {
	long := "-" + w.text
	if known, _ := l.flags.Flag(w.text); known || !strings.HasPrefix(long, "--") || strings.HasPrefix(long, "---") {
		return words
	}
	if known, _ := l.flags.Flag(long); known {
		return append([]string{"-" + words[0]}, words[1:]...)
	}
	return words
}

// option is that of another launcher with this name, if pvasrun has no flag that is written so.
func (l *line) option(text string) *option {
	if known, _ := l.flags.Flag(text); known {
		return nil
	}
	name := strings.TrimLeft(text, "-")
	if len(name) == 1 && text != "-"+name {
		return nil
	}
	return byName[name]
}

// plain is a word as a flag of pvasrun is spelled: one letter has one dash.
func (l *line) plain(text string) string {
	letter, value, joined := strings.Cut(strings.TrimPrefix(text, "--"), "=")
	if !strings.HasPrefix(text, "--") || len(letter) != 1 {
		return text
	}
	if known, _ := l.flags.Flag("-" + letter); !known {
		return text
	}
	if joined {
		letter += "=" + value
	}
	return "-" + letter
}

// next reads the option that args begin with. ok is false if a program begins there.
func (l *line) next(args []string) (w word, rest []string, ok bool) {
	args[0] = l.plain(args[0])
	text := args[0]
	if text == "--" || len(text) < 2 || text[0] != '-' {
		return w, args, false
	}
	rest = args[1:]
	name, value, joined := strings.Cut(text, "=")
	if o, number := l.short(text); o != nil {
		return word{text[:2], []string{number}}, rest, true
	}
	w.text = name
	take := 0
	if o := l.option(name); o != nil {
		take = o.takes(joined)
	} else {
		for _, spelling := range []string{name, "-" + name} {
			if known, takesValue := l.flags.Flag(spelling); known && takesValue {
				take = 1
			}
		}
	}
	if joined {
		w.values = []string{value}
		take--
	}
	for ; take > 0 && len(rest) > 0; take-- {
		w.values, rest = append(w.values, rest[0]), rest[1:]
	}
	return w, rest, true
}

// short recognises an option of one letter with a number joined, such as -N2.
func (l *line) short(text string) (*option, string) {
	if len(text) < 3 || text[1] == '-' || text[2] < '0' || text[2] > '9' {
		return nil, ""
	}
	o := l.option(text[:2])
	if o == nil || o.takes(true) != 1 {
		return nil, ""
	}
	return o, text[2:]
}

// takes is how many values an option has.
func (o *option) takes(joined bool) int {
	switch {
	case strings.HasPrefix(o.value, "[") && joined:
		return 1
	case strings.HasPrefix(o.value, "["):
		return 0
	}
	return len(strings.Fields(o.value))
}

// act does what the table says of an option.
func (l *line) act(o *option, w word) error {
	switch {
	case len(w.values) < o.takes(false):
		return errors.New("its value is missing")
	case len(w.values) > o.takes(true):
		return errors.New("it takes no value")
	case o.does.flags == nil:
		l.ignore(o.does.text, strings.Join(append([]string{w.text}, w.values...), " "))
		return nil
	}
	ours, err := o.does.flags(l, w.values)
	l.ours = append(l.ours, ours...)
	return err
}
