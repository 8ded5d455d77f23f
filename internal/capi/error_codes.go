package capi

import (
	"strings"
	"sync"
)

// errorCodes are the error classes and codes that the program has added. Codes of the ABI
// are their classes.
type errorCodes struct {
	mu    sync.Mutex
	next  int
	added map[int]*addedCode
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

// classTexts are the strings of the classes of the ABI.
var classTexts = map[int]string{
	0:                         "MPI_SUCCESS: no error",
	ERR_BUFFER:                "MPI_ERR_BUFFER: wrong buffer",
	ERR_COUNT:                 "MPI_ERR_COUNT: wrong count",
	ERR_TYPE:                  "MPI_ERR_TYPE: wrong datatype",
	ERR_TAG:                   "MPI_ERR_TAG: wrong tag",
	ERR_COMM:                  "MPI_ERR_COMM: wrong communicator",
	ERR_RANK:                  "MPI_ERR_RANK: wrong rank",
	ERR_REQUEST:               "MPI_ERR_REQUEST: wrong request",
	ERR_ROOT:                  "MPI_ERR_ROOT: wrong root",
	ERR_GROUP:                 "MPI_ERR_GROUP: wrong group",
	ERR_OP:                    "MPI_ERR_OP: wrong operator",
	ERR_TOPOLOGY:              "MPI_ERR_TOPOLOGY: wrong topology",
	ERR_DIMS:                  "MPI_ERR_DIMS: wrong dimensions",
	ERR_ARG:                   "MPI_ERR_ARG: wrong argument",
	ERR_UNKNOWN:               "MPI_ERR_UNKNOWN: unknown error",
	ERR_TRUNCATE:              "MPI_ERR_TRUNCATE: the message is longer than the buffer",
	ERR_OTHER:                 "MPI_ERR_OTHER: another error",
	ERR_INTERN:                "MPI_ERR_INTERN: an error of the library",
	ERR_PENDING:               "MPI_ERR_PENDING: the operation is not complete, and has not failed",
	ERR_IN_STATUS:             "MPI_ERR_IN_STATUS: the statuses have the errors",
	ERR_ACCESS:                "MPI_ERR_ACCESS: no permission",
	ERR_AMODE:                 "MPI_ERR_AMODE: wrong access mode",
	ERR_ASSERT:                "MPI_ERR_ASSERT: wrong assertion",
	ERR_BAD_FILE:              "MPI_ERR_BAD_FILE: wrong file name",
	ERR_BASE:                  "MPI_ERR_BASE: wrong base address",
	ERR_CONVERSION:            "MPI_ERR_CONVERSION: the data can not be converted",
	ERR_DISP:                  "MPI_ERR_DISP: wrong displacement",
	ERR_DUP_DATAREP:           "MPI_ERR_DUP_DATAREP: the data representation is there already",
	ERR_FILE_EXISTS:           "MPI_ERR_FILE_EXISTS: the file is there already",
	ERR_FILE_IN_USE:           "MPI_ERR_FILE_IN_USE: the file is in use",
	ERR_FILE:                  "MPI_ERR_FILE: wrong file",
	ERR_INFO_KEY:              "MPI_ERR_INFO_KEY: wrong key",
	ERR_INFO_NOKEY:            "MPI_ERR_INFO_NOKEY: there is no such key",
	ERR_INFO_VALUE:            "MPI_ERR_INFO_VALUE: wrong value",
	ERR_INFO:                  "MPI_ERR_INFO: wrong info object",
	ERR_IO:                    "MPI_ERR_IO: reading or writing has failed",
	ERR_KEYVAL:                "MPI_ERR_KEYVAL: wrong key of an attribute",
	ERR_LOCKTYPE:              "MPI_ERR_LOCKTYPE: wrong kind of lock",
	ERR_NAME:                  "MPI_ERR_NAME: the service name is not known",
	ERR_NO_MEM:                "MPI_ERR_NO_MEM: no memory left",
	ERR_NOT_SAME:              "MPI_ERR_NOT_SAME: the ranks have not passed the same",
	ERR_NO_SPACE:              "MPI_ERR_NO_SPACE: no space left",
	ERR_NO_SUCH_FILE:          "MPI_ERR_NO_SUCH_FILE: there is no such file",
	ERR_PORT:                  "MPI_ERR_PORT: wrong port",
	ERR_QUOTA:                 "MPI_ERR_QUOTA: the quota is used up",
	ERR_READ_ONLY:             "MPI_ERR_READ_ONLY: the file can only be read",
	ERR_RMA_ATTACH:            "MPI_ERR_RMA_ATTACH: the memory can not be attached",
	ERR_RMA_CONFLICT:          "MPI_ERR_RMA_CONFLICT: accesses conflict",
	ERR_RMA_RANGE:             "MPI_ERR_RMA_RANGE: outside of the window",
	ERR_RMA_SHARED:            "MPI_ERR_RMA_SHARED: the memory can not be shared",
	ERR_RMA_SYNC:              "MPI_ERR_RMA_SYNC: wrong synchronisation",
	ERR_SERVICE:               "MPI_ERR_SERVICE: wrong service name",
	ERR_SIZE:                  "MPI_ERR_SIZE: wrong size",
	ERR_SPAWN:                 "MPI_ERR_SPAWN: the processes can not be started",
	ERR_UNSUPPORTED_DATAREP:   "MPI_ERR_UNSUPPORTED_DATAREP: the data representation is not supported",
	ERR_UNSUPPORTED_OPERATION: "MPI_ERR_UNSUPPORTED_OPERATION: the operation is not supported",
	ERR_WIN:                   "MPI_ERR_WIN: wrong window",
	ERR_RMA_FLAVOR:            "MPI_ERR_RMA_FLAVOR: the window is of another flavor",
	ERR_PROC_ABORTED:          "MPI_ERR_PROC_ABORTED: a rank has gone",
	ERR_VALUE_TOO_LARGE:       "MPI_ERR_VALUE_TOO_LARGE: the value does not fit",
	ERR_SESSION:               "MPI_ERR_SESSION: wrong session",
	ERR_ERRHANDLER:            "MPI_ERR_ERRHANDLER: wrong error handler",
	ERR_ABI:                   "MPI_ERR_ABI: the binary interface does not fit",
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
	length.Set(text.Set(s, MAX_ERROR_STRING))
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
