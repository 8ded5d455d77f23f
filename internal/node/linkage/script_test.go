package linkage

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// script makes a file that may be executed.
func (w workshop) script(name, text string) string {
	w.Helper()
	require.NoError(w, os.WriteFile(w.path(name), []byte(text), 0o755))
	return w.path(name)
}

// The command env finds the interpreter of a script by the PATH of the ranks.
func TestInterpreterOfTheJob(t *testing.T) {
	w := workshop{t, t.TempDir()}
	mine := w.script("an-interpreter", "")
	script := w.script("script", "#!/usr/bin/env -S X=1 an-interpreter\n")
	require.Equal(t, mine, code(script, []string{"PATH=/nothing:" + w.dir}))
	require.Equal(t, "/usr/bin/env", code(script, os.Environ()))
}

// A script is its interpreter, with the arguments that the kernel gives it.
func TestUnscript(t *testing.T) {
	w := workshop{t, t.TempDir()}
	mine := w.script("an-interpreter", "")
	first := w.script("first", "#!"+mine+" -a  -b\n")
	second := w.script("second", "#!"+first+"\n")
	found := w.script("found", "#!/usr/bin/env an-interpreter\n")
	foreign := w.script("foreign", "#! "+mine+"\r\n")
	for path, want := range map[string][]string{
		mine: {mine, "x"}, first: {mine, "-a -b", first, "x"}, second: {mine, "-a -b", first, second, "x"},
		found: {mine, found, "x"}, foreign: {mine + "\r", foreign, "x"},
	} {
		path, args := Unscript(path, []string{"x"}, []string{"PATH=/nothing:" + w.dir})
		require.Equal(t, want, append([]string{path}, args...))
	}
}
