package api

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"
)

//go:embed functions.txt
var functionsText string

// Form tells the forms of a function apart.
type Form int

const (
	Base     Form = iota
	Large         // NAME_c
	Extended      // NAME_x
)

// Function is a function of the ABI, or the type of a callback.
type Function struct {
	Name    string // without MPI_
	Method  string // the function whose form this is: Send for Send_c
	Form    Form
	Args    []Arg
	Rest    bool   // more arguments follow: "..."
	Result  string // "" for an error code; void, int, double, Aint or a handle
	Anytime bool   // may be called before MPI_Init and after MPI_Finalize
	Chapter string
	Target  string // what its method in Go does, "" if that is written by hand
}

// Extension tells whether the standard does not have the function.
func (f Function) Extension() bool { return strings.HasPrefix(f.Name, extension) || f.Proposed() }

// Proposed tells whether the next standard may have it: then it has both names, MPI_NAME and MPIX_NAME.
func (f Function) Proposed() bool {
	return f.Chapter == failures && !strings.HasPrefix(f.Name, extension)
}

// Arg is an argument of a Function.
type Arg struct {
	Name string
	Kind
}

const (
	callbacks = "Callbacks" // the chapter whose rows are types of functions
	failures  = "Failures"  // that of what becomes of a program whose ranks fail
)

var (
	chapterLine  = regexp.MustCompile(`^\[(.+)\]$`)
	functionLine = regexp.MustCompile(`^([-cxa]+) +(\w+)\((.*)\) ?(\w*)$`)
)

// Functions returns all functions of the ABI in the order of the table, each followed by
// its other forms. The position of a function is its number.
func Functions() ([]Function, error) {
	return rows(func(chapter string) bool { return chapter != callbacks })
}

// Callbacks returns the types of the functions that a program hands over.
func Callbacks() ([]Function, error) {
	return rows(func(chapter string) bool { return chapter == callbacks })
}

func rows(wanted func(chapter string) bool) ([]Function, error) {
	var all []Function
	chapter := ""
	forms := 0 // of the last row
	for i, line := range strings.Split(functionsText, "\n") {
		target := strings.TrimLeft(line, " ")
		if target == "" || target[0] == '#' {
			continue
		}
		if m := chapterLine.FindStringSubmatch(line); m != nil {
			chapter, forms = m[1], 0
			continue
		}
		if !wanted(chapter) {
			continue
		}
		if target != line {
			if err := aim(all[len(all)-forms:], target); err != nil {
				return nil, fmt.Errorf("api: read line %d of functions.txt: %w", i+1, err)
			}
			continue
		}
		row, err := parseRow(line, chapter)
		if err != nil {
			return nil, fmt.Errorf("api: read line %d of functions.txt: %w", i+1, err)
		}
		all, forms = append(all, row...), len(row)
	}
	return all, nil
}

// aim gives the forms of a row their target.
func aim(forms []Function, target string) error {
	if len(forms) == 0 || forms[0].Target != "" {
		return fmt.Errorf("the target %q has no function before it", target)
	}
	for i := range forms {
		forms[i].Target = target
	}
	return nil
}

// parseRow reads a line of the table, and makes the other forms it stands for.
func parseRow(line, chapter string) ([]Function, error) {
	m := functionLine.FindStringSubmatch(line)
	if m == nil {
		return nil, fmt.Errorf("%q is not MARKS NAME(ARGUMENT KIND, ...) RESULT", line)
	}
	marks, name, result := m[1], m[2], m[4]
	args, rest, err := parseArgs(m[3])
	if err != nil {
		return nil, err
	}
	f := Function{Name: name, Method: name, Args: args, Rest: rest, Result: result,
		Anytime: strings.Contains(marks, "a"), Chapter: chapter}
	forms := []Function{f.form(Base)}
	if strings.Contains(marks, "c") {
		forms = append(forms, f.form(Large))
	}
	if strings.Contains(marks, "x") {
		forms = append(forms, f.form(Extended))
	}
	return forms, nil
}

func parseArgs(text string) (args []Arg, rest bool, err error) {
	if text == "" {
		return nil, false, nil
	}
	for _, part := range strings.Split(text, ", ") {
		if part == "..." {
			return args, true, nil
		}
		name, kind, _ := strings.Cut(part, " ")
		k, err := parseKind(kind)
		if err != nil {
			return nil, false, fmt.Errorf("argument %s: %w", name, err)
		}
		if after, ok := strings.CutPrefix(name, "?"); ok {
			name, k.Base, k.Growth = after, "Count", Additional
		}
		args = append(args, Arg{Name: name, Kind: k})
	}
	return args, false, nil
}

// form makes one form of a function. All forms have as many Args as the method takes:
// those that a form does not have are left with Growth Additional.
func (f Function) form(form Form) Function {
	f.Form = form
	f.Name += [...]string{"", "_c", "_x"}[form]
	args := make([]Arg, len(f.Args))
	for i, a := range f.Args {
		args[i] = a
		if form != Base {
			args[i].Kind = a.Grown()
		}
	}
	f.Args = args
	return f
}

// Has tells whether this form has the argument.
func (f Function) Has(a Arg) bool { return a.Growth != Additional || f.Form == Large }

// Own returns the arguments that this form has.
func (f Function) Own() []Arg {
	var own []Arg
	for _, a := range f.Args {
		if f.Has(a) {
			own = append(own, a)
		}
	}
	return own
}
