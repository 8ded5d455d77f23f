package cli

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"

	"github.com/jessevdk/go-flags"

	"github.com/gopvas/gopvas/internal/node/atomicfile"
)

// A Named is a file with the flag that names it, or with what it is to the command.
type Named struct{ By, File string }

// Apart returns an error if two outputs of a command are one file, or if an output is an input. Any
// other file may be replaced.
func Apart(outputs []Named, inputs ...Named) error {
	for i, out := range outputs {
		for _, other := range outputs[:i] {
			if OneFile(out.File, other.File) {
				return fmt.Errorf("%s and %s both name the file %s: give each a file of its own",
					other.By, out.By, out.File)
			}
		}
		for _, in := range inputs {
			if OneFile(out.File, in.File) {
				return fmt.Errorf("%s %s would replace %s: name another file", out.By, out.File, in.By)
			}
		}
	}
	return nil
}

// OneFile tells whether two names are those of one file, also of one that is not there yet. A device
// takes any number of outputs.
func OneFile(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	at, err := os.Stat(a)
	if err == nil {
		is, err := os.Stat(b)
		return err == nil && at.Mode()&fs.ModeDevice == 0 && os.SameFile(at, is)
	}
	to, err := target(a)
	if err != nil {
		return false
	}
	from, err := target(b)
	return err == nil && to == from
}

// target is the absolute name of the file behind links.
func target(file string) (string, error) {
	file, err := atomicfile.Target(file)
	if err != nil {
		return "", err
	}
	return filepath.Abs(file)
}

// neverEmpty is how the values are called that mean nothing if they are empty.
var neverEmpty = regexp.MustCompile(`\b(FILE|DIR|LIST|PREFIX|CMD)\b`)

// ValuesGiven returns an error if a flag for a file, a list or the like is given with an empty value. A script
// does so whose variable is not set. An environment variable may be empty.
func ValuesGiven(p *flags.Parser) error {
	for _, opt := range Options(p) {
		if opt.ValueName == "" || opt.IsSetDefault() || !opt.IsSet() {
			continue
		}
		if isEmpty(opt.Value()) && neverEmpty.MatchString(opt.ValueName) {
			return fmt.Errorf("%s: its value is empty: write %s", opt, example(opt))
		}
	}
	return nil
}

// isEmpty tells whether the text of a flag's value is empty, as far as the value shows it.
func isEmpty(value any) bool {
	if b, ok := value.(Binding); ok {
		return b.text == ""
	}
	v := reflect.ValueOf(value)
	return v.Kind() == reflect.String && v.Len() == 0
}
