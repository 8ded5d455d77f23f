package streams

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// An Output says what becomes of the output of ranks. Its texts are patterns, in which these signs stand for others:
//
//	%r   the rank
//	%0r  the rank, with zeros before it so that the last of the job's is as long
//	%s   stdout or stderr
//	%h   the name of the rank's node
//	%T   the time; in Prefix only
//	%%   a percent sign
//
// A file that is not named after ranks is for all those of a node. Relative names are below the working directory.
type Output struct {
	Prefix string    // of each line that goes to Job.Stdout or Job.Stderr; "": none
	Files  [2]string // for stdout and stderr; "": they go to Job.Stdout and Job.Stderr
	Merge  bool      // stderr goes where stdout goes, and Files[1] is not used
}

// Tag has lines begin with rank and stream, before what else they begin with.
func (o *Output) Tag() { o.Prefix = "[%r]<%s>: " + o.Prefix }

// GoTo has each rank and stream go to a file of its own in a directory.
func (o *Output) GoTo(dir string) {
	file := filepath.Join(strings.ReplaceAll(dir, "%", "%%"), "rank.%0r.%s")
	o.Files = [2]string{file, file}
}

// Piped tells whether any output goes through this process.
func (o *Output) Piped() bool { return o.Files[0] == "" || o.Files[1] == "" && !o.Merge }

// ofRank tells whether a pattern names the rank or the stream.
func ofRank(pattern string) bool {
	text := strings.ReplaceAll(pattern, "%%", "")
	return strings.Contains(text, "%r") || strings.Contains(text, "%0r") || strings.Contains(text, "%s")
}

// Check returns an error if a pattern has a sign that means nothing.
func (o *Output) Check() error {
	for _, file := range o.Files {
		if err := checkPattern(file, "%r, %0r, %s, %h"); err != nil {
			return err
		}
	}
	return checkPattern(o.Prefix, "%r, %0r, %s, %h, %T")
}

// checkPattern knows a sign of one letter by the list of them.
func checkPattern(pattern, signs string) error {
	for rest := pattern; ; {
		_, after, found := strings.Cut(rest, "%")
		if !found {
			return nil
		}
		length := 1
		if strings.HasPrefix(after, "0r") {
			length = 2
		} else if after == "" || after[0] != '%' && !strings.Contains(signs+",", "%"+after[:1]+",") {
			return fmt.Errorf("%q: %%%s means nothing: the signs are %s, and %%%% is a percent sign", pattern,
				after[:min(1, len(after))], signs)
		}
		rest = after[length:]
	}
}

// pattern knows what the signs stand for.
type pattern struct {
	rank, ranks  int
	stream, node string
}

// expand returns the text of a pattern without %T.
func (p pattern) expand(text string) string {
	width := len(strconv.Itoa(p.ranks - 1))
	return strings.NewReplacer("%r", strconv.Itoa(p.rank), "%0r", fmt.Sprintf("%0*d", width, p.rank),
		"%s", p.stream, "%h", p.node, "%%", "%").Replace(text)
}

const (
	timeSign   = "%T"
	timeLayout = "2006-01-02T15:04:05.000000"
)

// prefixOf returns a function that appends the prefix of a line; nil: there is none.
func (p pattern) prefixOf(text string) func([]byte) []byte {
	if text == "" {
		return nil
	}
	var parts []string // the time is between them
	for start, i := 0, 0; i <= len(text); i++ {
		switch {
		case i == len(text), strings.HasPrefix(text[i:], timeSign):
			parts = append(parts, p.expand(text[start:i]))
			start = i + len(timeSign)
		case text[i] == '%': // two percent signs and a T are no time
			i++
		}
	}
	return func(to []byte) []byte {
		for i, part := range parts {
			if i > 0 {
				to = time.Now().AppendFormat(to, timeLayout)
			}
			to = append(to, part...)
		}
		return to
	}
}
