package goal

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
)

// An Error is a mistake in a GOAL file.
type Error struct {
	File string
	Line int
	Msg  string // what is wrong and what to do
	Err  error  // the cause, if there is one
}

func (e *Error) Error() string { return fmt.Sprintf("goal: %s:%d: %s", e.File, e.Line, e.Msg) }
func (e *Error) Unwrap() error { return e.Err }

// ErrNoGoal is the cause of an Error about an input that does not begin as GOAL does, with num_ranks.
var ErrNoGoal = errors.New("not a GOAL file")

const maxLine = 1 << 16

// A lexer cuts lines into tokens. A token is a word, a number, -1, one of { } : or nothing, at the
// end of a line and after a mistake.
type lexer struct {
	r       *bufio.Reader
	file    string
	line    int    // the number of the line
	rest    []byte // what is left of it
	comment int    // the line on which the open comment began, or 0
	eof     bool
	err     error // the first mistake
}

func newLexer(r io.Reader, file string) (*lexer, error) {
	b := bufio.NewReaderSize(r, maxLine)
	if magic, _ := b.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(b)
		if err != nil {
			return nil, fmt.Errorf("goal: %s: open gzip data: %w; compress the file anew", file, err)
		}
		b = bufio.NewReaderSize(z, maxLine)
	}
	return &lexer{r: b, file: file}, nil
}

// fail notes a mistake.
func (l *lexer) fail(format string, args ...any) { l.failBy(nil, fmt.Sprintf(format, args...)) }

// failBy notes a mistake and its cause.
func (l *lexer) failBy(cause error, msg string) {
	if l.err == nil {
		l.err = &Error{File: l.file, Line: l.line, Msg: msg, Err: cause}
	}
}

// nextLine goes to the next line; at the end of the input it sets eof.
func (l *lexer) nextLine() {
	text, err := l.r.ReadSlice('\n')
	if len(text) > 0 || err == nil {
		l.line++
	}
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		l.fail("the line has more than %d bytes; is this a GOAL text file? break the line after an operation", maxLine)
	case errors.Is(err, io.EOF):
		l.eof = len(text) == 0
	case err != nil:
		l.failBy(err, fmt.Sprintf("read: %v; the file is damaged or cut off", err))
	}
	l.rest = text
	if l.eof && l.comment > 0 {
		l.line = l.comment
		l.fail("the comment that begins here never ends; add */")
	}
}

// token returns the next token of the line.
func (l *lexer) token() []byte {
	l.skip()
	if len(l.rest) == 0 || l.err != nil {
		return nil
	}
	n := 1
	switch c := l.rest[0]; {
	case isLetter(c):
		for n < len(l.rest) && (isLetter(l.rest[n]) || isDigit(l.rest[n])) {
			n++
		}
	case isDigit(c):
		for n < len(l.rest) && isDigit(l.rest[n]) {
			n++
		}
	case c == '-' && len(l.rest) > 1 && isDigit(l.rest[1]):
		for n < len(l.rest) && isDigit(l.rest[n]) {
			n++
		}
	case c == '{' || c == '}' || c == ':':
	default:
		l.fail("unexpected character %q; GOAL knows words, numbers, {, }, : and comments", c)
		return nil
	}
	tok := l.rest[:n]
	l.rest = l.rest[n:]
	return tok
}

// peek returns the next token and leaves it there.
func (l *lexer) peek() []byte {
	tok := l.token()
	if len(tok) > 0 {
		l.rest = tok[:len(tok)+len(l.rest)]
	}
	return tok
}

// skip skips blanks and comments.
func (l *lexer) skip() {
	for len(l.rest) > 0 {
		switch c := l.rest[0]; {
		case l.comment > 0:
			i := bytes.Index(l.rest, []byte("*/"))
			if i < 0 {
				l.rest = nil
				return
			}
			l.rest, l.comment = l.rest[i+2:], 0
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			l.rest = l.rest[1:]
		case bytes.HasPrefix(l.rest, []byte("//")):
			l.rest = nil
		case bytes.HasPrefix(l.rest, []byte("/*")):
			l.rest, l.comment = l.rest[2:], l.line
		default:
			return
		}
	}
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
