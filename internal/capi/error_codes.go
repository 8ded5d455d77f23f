package capi

import (
	"fmt"
	"strings"
	"sync"
)

// errorCodes are the error classes and codes that the program has added. Codes of the ABI
// are their classes. A call returns the class, which programs compare with; the string of the class says the cause.
type errorCodes struct {
	mu    sync.Mutex
	next  int
	added map[int]*addedCode
	last  map[int]raised // by class: the last error
}

// raised is an error that a call has returned.
type raised struct {
	at  site
	err error
}

// note keeps an error, for MPI_Error_string of its class.
func (e *errorCodes) note(class int, r raised) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.last == nil {
		e.last = map[int]raised{}
	}
	e.last[class] = r
}

// withCause adds to the string of a class what its last error in this process was.
func (e *errorCodes) withCause(class int, text string) string {
	e.mu.Lock()
	r, ok := e.last[class]
	e.mu.Unlock()
	if _, ours := classTexts[class]; !ours || !ok {
		return text
	}
	call := r.at.String()
	return fmt.Sprintf("%s; last of %s: %s", text, call, textOf(call, r.err))
}

type addedCode struct {
	class int // of itself, if it is a class
	text  string
	named bool // the program has given it a string
}

// className is the name of a class of the ABI, such as MPI_ERR_TYPE.
func className(class int) string {
	if text, ok := classTexts[class]; ok {
		name, _, _ := strings.Cut(text, ":")
		return name
	}
	return "an error class of the program"
}

// classOf is the class of a code.
func (e *errorCodes) classOf(code int) int {
	if _, ok := classTexts[code]; ok {
		return code
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if a, ok := e.added[code]; ok {
		return a.class
	}
	return ERR_UNKNOWN
}

// text is the string of a code; ok tells whether there is such a code.
func (e *errorCodes) text(code int) (text string, ok bool) {
	if text, ok := classTexts[code]; ok {
		return text, true
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if a, ok := e.added[code]; ok {
		return a.text, true
	}
	return "", false
}

// asError makes an error of a code of the program.
func (e *errorCodes) asError(code int) error {
	text, ok := e.text(code)
	if !ok {
		text = "unknown error code"
	}
	return &Error{Class: code, Text: text}
}

// add makes a code of a class; class 0: a class, which is a code of itself.
func (e *errorCodes) add(class int) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	code := e.next
	e.next++
	if class == 0 {
		class = code
	}
	if e.added == nil {
		e.added = map[int]*addedCode{}
	}
	e.added[code] = &addedCode{class: class}
	return code
}

// lastUsed is the attribute MPI_LASTUSEDCODE.
func (e *errorCodes) lastUsed() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.next - 1
}

// Error_string is MPI_Error_string.
func (p *Process) Error_string(code int, text OutString, length Ref) error {
	s, ok := p.codes.text(code)
	if !ok {
		return fail(ERR_ARG, "error code %d is not known", code)
	}
	length.Set(text.Set(p.codes.withCause(code, s), MAX_ERROR_STRING))
	return nil
}

// Add_error_code is MPI_Add_error_code.
func (p *Process) Add_error_code(class int, code Ref) error {
	if _, ok := p.codes.text(class); !ok || p.codes.classOf(class) != class {
		return fail(ERR_ARG, "%d is no error class", class)
	}
	code.Set(p.codes.add(class))
	return nil
}

// Add_error_string is MPI_Add_error_string.
func (p *Process) Add_error_string(code int, text CString) error {
	return p.codes.change(code, func(a *addedCode) error {
		a.text, a.named = text.String(), true
		return nil
	})
}

// Remove_error_string is MPI_Remove_error_string.
func (p *Process) Remove_error_string(code int) error {
	return p.codes.change(code, func(a *addedCode) error {
		if !a.named {
			return fail(ERR_ARG, "error code %d has no string", code)
		}
		a.text, a.named = "", false
		return nil
	})
}

// Remove_error_code is MPI_Remove_error_code.
func (p *Process) Remove_error_code(code int) error {
	return p.codes.change(code, func(a *addedCode) error {
		if a.class == code {
			return fail(ERR_ARG, "%d is an error class: remove it by MPI_Remove_error_class", code)
		}
		return p.codes.remove(code)
	})
}

// Remove_error_class is MPI_Remove_error_class.
func (p *Process) Remove_error_class(class int) error {
	return p.codes.change(class, func(a *addedCode) error {
		if a.class != class {
			return fail(ERR_ARG, "%d is no error class", class)
		}
		for code, other := range p.codes.added {
			if other.class == class && code != class {
				return fail(ERR_ARG, "error class %d has codes: remove them before", class)
			}
		}
		return p.codes.remove(class)
	})
}

// change does something to a code of the program.
func (e *errorCodes) change(code int, f func(*addedCode) error) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	a, ok := e.added[code]
	if !ok {
		return fail(ERR_ARG, "error code %d was not added by the program", code)
	}
	return f(a)
}

// remove forgets a code without a string. The last one is used again. mu is held.
func (e *errorCodes) remove(code int) error {
	if e.added[code].named {
		return fail(ERR_ARG, "error code %d has a string: remove it before", code)
	}
	delete(e.added, code)
	for last := e.next - 1; last > ERR_LASTCODE; last-- {
		if _, there := e.added[last]; there {
			break
		}
		e.next = last
	}
	return nil
}
