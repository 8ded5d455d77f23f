package options

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/gopvas/gopvas/internal/node/job"
)

// programsOf is a file with a program of the job on each line, behind its flags. It stands for the command line's own.
var programsOf = by("the programs of FILE with \":\" between them", func(l *line, file string) ([]string, error) {
	switch {
	case l.inFile:
		return nil, errors.New("a line of a file of programs names no other one: write its lines there")
	case l.several || l.programs != nil:
		return nil, errors.New("the file names all programs of the job: write them there, with nothing behind it")
	}
	lines, err := readLines(file)
	if err != nil {
		return nil, err
	}
	for i, words := range lines {
		if i > 0 {
			l.programs = append(l.programs, ":")
		}
		l.programs = append(l.programs, words...)
	}
	return nil, nil
})

// multiProg says that the program is srun's file, which names the program of each rank.
var multiProg = action{"the programs of FILE with \":\" between them", func(l *line, _ []string) ([]string, error) {
	l.perRank = true
	return nil, nil
}}

// most bounds the bytes of a file that says something of each rank. A job has at most 65536.
const most = 4 << 20

// ReadFile returns the text of a file that says something of each rank, if it is as long as such a file may be.
func ReadFile(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && len(text) > most {
		err = fmt.Errorf("%s: it has more than %d MiB: name another file", file, most>>20)
	}
	return string(text), err
}

// readLines returns the words of each line of a file that is neither empty nor a comment. Words may be quoted.
func readLines(file string) (lines [][]string, err error) {
	text, err := ReadFile(file)
	if err != nil {
		return nil, err
	}
	text = strings.ReplaceAll(text, "\\\n", " ")
	for line := range strings.Lines(text) {
		words, err := split(line)
		if err != nil {
			return nil, fmt.Errorf("%s: %w: %.80q", file, err, strings.TrimSpace(line))
		}
		if len(words) > 0 {
			lines = append(lines, words)
		}
	}
	if len(lines) > job.MaxRanks {
		return nil, fmt.Errorf("%s: it has %d lines: a job has at most %d ranks in all", file, len(lines), job.MaxRanks)
	}
	if lines == nil {
		return nil, fmt.Errorf("%s: it names no program", file)
	}
	return lines, nil
}

// split divides a line into words as a shell does, but for what it would replace.
func split(line string) (words []string, err error) {
	var word strings.Builder
	quote, inside := rune(0), false
	for _, c := range line {
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(c)
		case c == '\'' || c == '"':
			quote, inside = c, true
		case c == '#' && !inside:
			return words, nil
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			if inside {
				words = append(words, word.String())
			}
			word.Reset()
			inside = false
		default:
			word.WriteRune(c)
			inside = true
		}
	}
	if quote != 0 {
		return nil, errors.New("a quotation mark is missing")
	}
	if inside {
		words = append(words, word.String())
	}
	return words, nil
}

// A share is what a line of srun's file says: these ranks have that program.
type share struct {
	first, last int // ranks; last is -1 for all that are left
	words       []string
}

// perRank returns the command lines of srun's file, for so many ranks; 0: as many as it names. %t is the rank, and %o
// its number among those of the line, so that a line of several ranks becomes one program for each.
func perRank(file string, ranks int) (ours [][]string, err error) {
	lines, err := readLines(file)
	if err != nil {
		return nil, err
	}
	var shares []share
	for _, words := range lines {
		list, err := sharesOf(words)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		shares = append(shares, list...)
	}
	slices.SortStableFunc(shares, func(a, b share) int {
		if (a.last < 0) != (b.last < 0) { // what is for all that are left comes last
			return cmp.Compare(b.last, a.last)
		}
		return cmp.Compare(a.first, b.first)
	})
	for i, s := range shares[1:] {
		switch before := shares[i]; {
		case before.last < 0:
			return nil, fmt.Errorf("%s: two lines are for all other ranks (*): write one", file)
		case s.last >= 0 && s.first <= before.last:
			return nil, fmt.Errorf("%s: rank %d is in two lines, or twice in one: write it once", file, s.first)
		}
	}
	if ranks == 0 {
		for _, s := range shares {
			ranks = max(ranks, s.last+1)
		}
	}
	if ranks > job.MaxRanks {
		return nil, fmt.Errorf("%s: it is for %d ranks: a job has at most %d in all", file, ranks, job.MaxRanks)
	}
	shareOf := func(rank int) int {
		return slices.IndexFunc(shares, func(s share) bool { return s.first <= rank && (rank <= s.last || s.last < 0) })
	}
	for rank := 0; rank < ranks; {
		i := shareOf(rank)
		if i < 0 {
			return nil, fmt.Errorf("%s: no line is for rank %d", file, rank)
		}
		s, end := shares[i], rank+1
		alike := !strings.Contains(strings.Join(s.words, ""), "%") // for all ranks of the line
		for alike && end < ranks && shareOf(end) == i {
			end++
		}
		program := []string{"-n", strconv.Itoa(end - rank)}
		signs := strings.NewReplacer("%t", strconv.Itoa(rank), "%o", strconv.Itoa(rank-s.first), "%%", "%")
		for _, word := range s.words {
			program = append(program, signs.Replace(word))
		}
		ours = append(ours, program)
		rank = end
	}
	return ours, nil
}

// sharesOf parses "0-2,5 program arguments" or "* program".
func sharesOf(words []string) (shares []share, err error) {
	if len(words) < 2 {
		return nil, fmt.Errorf("%q: write ranks and their program: 0-3 ./prog", strings.Join(words, " "))
	}
	if slices.Contains(words, ":") {
		return nil, fmt.Errorf("%q: an argument \":\" would divide programs: have a script pass it",
			strings.Join(words, " "))
	}
	for span := range strings.SplitSeq(words[0], ",") {
		s := share{last: -1, words: words[1:]}
		if span != "*" {
			first, last, isSpan := strings.Cut(span, "-")
			if !isSpan {
				last = first
			}
			var err1, err2 error
			s.first, err1 = strconv.Atoi(first)
			s.last, err2 = strconv.Atoi(last)
			if err := cmp.Or(err1, err2); err != nil || s.first < 0 || s.last < s.first {
				return nil, fmt.Errorf("%q: ranks are written as 3, 0-3, 1,4 or *", words[0])
			}
		}
		shares = append(shares, s)
	}
	return shares, nil
}
