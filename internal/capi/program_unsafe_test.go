package capi

import (
	"reflect"
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// program is a C program as the tests write it: memory and calls.
type program struct {
	testing.TB
	p    *Process
	kept []any
}

func newProgram(t testing.TB) *program {
	c := &program{TB: t, p: process}
	t.Cleanup(func() { runtime.KeepAlive(c) })
	return c
}

// address is that of memory of the program, which stays until its end.
func address[T any](c *program, memory []T) uintptr {
	c.kept = append(c.kept, memory)
	return uintptr(unsafe.Pointer(unsafe.SliceData(memory)))
}

// text is a C string.
func (c *program) text(s string) uintptr { return address(c, append([]byte(s), 0)) }

// slot is an argument as the C stub puts it into a word.
func (c *program) slot(arg any) uintptr {
	switch v := arg.(type) {
	case int:
		return uintptr(v)
	case uintptr:
		return v
	case Type:
		return uintptr(v)
	case Op:
		return uintptr(v)
	case Comm:
		return uintptr(v)
	case Address:
		return uintptr(v)
	case *int32:
		return c.keep(v, unsafe.Pointer(v))
	case *int64:
		return c.keep(v, unsafe.Pointer(v))
	case *Type:
		return c.keep(v, unsafe.Pointer(v))
	case *Op:
		return c.keep(v, unsafe.Pointer(v))
	case *uintptr:
		return c.keep(v, unsafe.Pointer(v))
	case []byte:
		return address(c, v)
	case []int16:
		return address(c, v)
	case []int32:
		return address(c, v)
	case []int64:
		return address(c, v)
	case []float32:
		return address(c, v)
	case []float64:
		return address(c, v)
	case []Type:
		return address(c, v)
	case string:
		return c.text(v)
	}
	switch v := reflect.ValueOf(arg); v.Kind() {
	case reflect.Uintptr:
		return uintptr(v.Uint())
	case reflect.Pointer, reflect.Slice:
		return c.keep(arg, v.UnsafePointer())
	}
	c.Fatalf("argument of type %T", arg)
	return 0
}

func (c *program) keep(v any, at unsafe.Pointer) uintptr {
	c.kept = append(c.kept, v)
	return uintptr(at)
}

// try calls a function of the ABI by its name and returns the error class.
func (c *program) try(name string, args ...any) int {
	c.Helper()
	op, a := c.encode(name, args)
	_, err := c.p.rare(op, a, calls[op].firstNull(a))
	if err == nil {
		return SUCCESS
	}
	c.Log(name, err)
	return classOf(err)
}

// encode returns the number of a function and its arguments, as the C stub does.
func (c *program) encode(name string, args []any) (op int, a slots) {
	c.Helper()
	for op := range calls {
		if calls[op].name == name {
			words := make([]uintptr, len(args)+1)
			for i, arg := range args {
				words[i] = c.slot(arg)
			}
			return op, slots(address(c, words))
		}
	}
	c.Fatal("the ABI has no function ", name)
	return 0, 0
}

// prepare returns a call that can be made any number of times, as the stub makes it.
func (c *program) prepare(name string, args ...any) func() {
	op, a := c.encode(name, args)
	return func() {
		if result, _ := c.p.call(op, a); result != SUCCESS {
			c.Fatal(name, result)
		}
	}
}

// call is try for a call that is expected to succeed.
func (c *program) call(name string, args ...any) {
	c.Helper()
	require.Equal(c, SUCCESS, c.try(name, args...), name)
}

// status is an MPI_Status that the program has received a message with.
func (c *program) status(bytes int) uintptr {
	memory := make([]byte, statusSize)
	at := address(c, memory)
	Status{at}.SetMessage(1, 2, bytes, false)
	return at
}
