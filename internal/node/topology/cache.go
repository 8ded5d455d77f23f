package topology

import (
	"io/fs"
	"strconv"
	"strings"
)

// Caches are those of a CPU for data. Sizes are bytes, 0 where the kernel shows none.
type Caches struct{ L1D, L2, L3, Line int }

// ReadCaches reads the caches of a CPU.
func ReadCaches(root fs.FS, cpu int) (c Caches) {
	for level, to := range map[int]*int{1: &c.L1D, 2: &c.L2, 3: &c.L3} {
		dir := cacheDir(root, cpu, level)
		if dir == "" {
			continue
		}
		*to = bytesOf(readLine(root, dir+"size"))
		if line, err := strconv.Atoi(readLine(root, dir+"coherency_line_size")); err == nil {
			c.Line = max(c.Line, line)
		}
	}
	return c
}

// cacheDir returns the folder of a CPU's cache of a level that holds data; "": there is none.
func cacheDir(root fs.FS, cpu, level int) string {
	for i := 0; ; i++ {
		dir := CPU{Number: cpu}.dir() + "cache/index" + strconv.Itoa(i) + "/"
		text := readLine(root, dir+"level")
		if text == "" {
			return ""
		}
		if n, err := strconv.Atoi(text); err == nil && n == level && readLine(root, dir+"type") != "Instruction" {
			return dir
		}
	}
}

// bytesOf reads a size as the kernel writes it: "32K", "1024K", "32M".
func bytesOf(text string) int {
	number := strings.TrimRight(text, "KMG")
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 {
		return 0
	}
	switch text[len(number):] {
	case "":
		return n
	case "K":
		return n << 10
	case "M":
		return n << 20
	case "G":
		return n << 30
	}
	return 0
}
