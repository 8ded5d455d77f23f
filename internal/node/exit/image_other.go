//go:build !amd64 && !arm64

package exit

// Image is that of no program.
const Image = ""
