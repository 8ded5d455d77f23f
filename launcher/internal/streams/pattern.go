package streams

import (
	"fmt"
	"path/filepath"
	"slices"
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
	file := filepath.Join(strings.ReplaceAll(dir, "%", percent), "rank.%0r.%s")
	o.Files = [2]string{file, file}
}

// Piped tells whether any output goes through this process.
func (o *Output) Piped() bool { return o.Files[0] == "" || o.Files[1] == "" && !o.Merge }

const (
	percent    = "%%"
	timeSign   = "%T"
	timeLayout = "2006-01-02T15:04:05.000000"
)

// The signs besides percent.
var (
	signsOfRank   = []string{"%r", "%0r", "%s"} // name the rank or the stream
	signsOfFile   = append(signsOfRank[:3:3], "%h")
	signsOfPrefix = append(signsOfFile[:4:4], timeSign)
)

// cutSign divides a pattern at its first sign, which is "" if there is none. A sign may be one that means nothing.
func cutSign(pattern string) (before, sign, after string) {
	before, after, found := strings.Cut(pattern, "%")
	if !found {
		return before, "", ""
	}
	length := min(1, len(after))
	if strings.HasPrefix(after, "0r") {
		length = 2
	}
	return before, "%" + after[:length], after[length:]
}

// ofRank tells whether a pattern names the rank or the stream.
func ofRank(pattern string) bool {
	_, sign, after := cutSign(pattern)
	return sign != "" && (slices.Contains(signsOfRank, sign) || ofRank(after))
}

// Check returns an error if a pattern has a sign that means nothing.
func (o *Output) Check() error {
	for _, file := range o.Files {
		if err := checkPattern(file, signsOfFile); err != nil {
			return err
		}
	}
	return checkPattern(o.Prefix, signsOfPrefix)
}

func checkPattern(pattern string, signs []string) error {
	for rest := pattern; ; {
		_, sign, after := cutSign(rest)
		if sign == "" {
			return nil
		}
		if sign != percent && !slices.Contains(signs, sign) {
			return fmt.Errorf("%q: %s means nothing: the signs are %s, and %%%% is a percent sign", pattern, sign,
				strings.Join(signs, ", "))
		}
		rest = after
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
		"%s", p.stream, "%h", p.node, percent, "%").Replace(text)
}

// prefixOf returns a function that appends the prefix of a line; nil: there is none.
func (p pattern) prefixOf(text string) func([]byte) []byte {
	if text == "" {
		return nil
	}
	parts := []string{""} // the time is between them
	for rest := text; rest != ""; {
		before, sign, after := cutSign(rest)
		parts[len(parts)-1] += before
		if sign == timeSign {
			parts = append(parts, "")
		} else {
			parts[len(parts)-1] += p.expand(sign)
		}
		rest = after
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
