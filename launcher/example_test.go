package launcher_test

import (
	"context"
	"fmt"
	"os"

	"github.com/gopvas/gopvas/launcher"
)

// A program that calls Run begins main with HostMain.
func ExampleRun() {
	launcher.HostMain()
	result, err := launcher.Run(context.Background(), launcher.Job{
		Apps:   []launcher.App{{Program: "/bin/echo", Args: []string{"hello"}, N: 2}},
		BTL:    "sm",
		Stdout: os.Stdout,
		Stderr: os.Stderr,
	})
	if err != nil {
		fmt.Println(err, launcher.ExitCode(err))
		return
	}
	fmt.Println("exit code", result.Code)
	// Output:
	// hello
	// hello
	// exit code 0
}
