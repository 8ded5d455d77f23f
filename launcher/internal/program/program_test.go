package program

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The kernel takes the carriage return of a line of another system for a part of the interpreter's name.
func TestInterpreterWithACarriageReturn(t *testing.T) {
	script := filepath.Join(t.TempDir(), "script")
	require.NoError(t, os.WriteFile(script, []byte("#!/bin/sh\r\n"), 0o700))
	_, err := FindBinary(script)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.EqualError(t, err, "launcher: program "+script+": its interpreter /bin/sh: no such file or directory: "+
		"a carriage return is behind the name: end lines with a newline alone")
}

// A binary that is shorter than its headers say would end by a signal: it is refused before anything starts.
func TestBinaryWithoutItsEnd(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	_, err = FindBinary(self)
	require.NoError(t, err)
	whole, err := os.Open(self)
	require.NoError(t, err)
	defer whole.Close()
	short := filepath.Join(t.TempDir(), "short")
	part, err := os.OpenFile(short, os.O_CREATE|os.O_WRONLY, 0o755)
	require.NoError(t, err)
	_, err = io.CopyN(part, whole, 8192)
	require.NoError(t, errors.Join(err, part.Close()))
	_, err = FindBinary(short)
	require.EqualError(t, err, "launcher: program "+short+
		": it has 8192 bytes, and less than its headers tell: copy or build it again")
}
