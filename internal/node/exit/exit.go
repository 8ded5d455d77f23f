package exit

import "github.com/gopvas/gopvas/internal/node/sys"

// leave executes Image, which ends with code 0. It returns if that is not possible.
func leave() {
	f, err := sys.ProgramFile("pvas-end")
	if err != nil {
		return
	}
	defer f.Close()
	if _, err := f.WriteString(Image); err == nil {
		_ = sys.ExecFile(f, []string{""}) // an error, also where Image is "": the process ends where it is
	}
}
