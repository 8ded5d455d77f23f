package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// pipes are the named pipes that writable has opened. They stay open until they are written: the reader
// of a pipe takes its last writer's close for the end of the file.
var pipes = map[string]*os.File{}

// writable returns an error if a file can not be written later. It changes no file.
func writable(file string) error {
	if file == "" || pipes[file] != nil {
		return nil
	}
	info, missing := os.Stat(file)
	w, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|syscall.O_NONBLOCK, 0o644) // waits for no reader of a pipe
	switch {
	case errors.Is(err, syscall.ENXIO):
		return fmt.Errorf("%w: no program reads the pipe: start one before, such as cat %s", err, file)
	case err != nil:
		return err
	case missing != nil:
		if made, err := filepath.EvalSymlinks(file); err == nil { // the link may have been there
			defer func() { _ = os.Remove(made) }()
		}
	case info.Mode()&os.ModeNamedPipe != 0:
		pipes[file] = w
		return nil
	}
	return w.Close()
}

// nameOf returns the name of one of several files: all but the first have who added before the ending.
func nameOf(file, who string, i int) string {
	if i == 0 || file == "" {
		return file
	}
	ending := filepath.Ext(file)
	return strings.TrimSuffix(file, ending) + "-" + who + ending
}

// writeNamed writes a file; all but the first have their name added before the ending. What could
// not be written whole is removed, unless it is a device or a pipe.
func writeNamed(file, who string, i int, write func(io.Writer) error) (err error) {
	if file == "" {
		return nil
	}
	file = nameOf(file, who, i)
	w := pipes[file]
	if delete(pipes, file); w == nil {
		if w, err = os.Create(file); err != nil {
			return err
		}
	}
	if err = errors.Join(write(w), w.Close()); err != nil {
		err = errors.Join(err, removeRegular(file))
	}
	return err
}

// removeRegular removes a file, or what a link leads to, and leaves devices and pipes.
func removeRegular(file string) error {
	target, err := filepath.EvalSymlinks(file)
	if err != nil {
		return nil // it is not there
	}
	if info, err := os.Stat(target); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return os.Remove(target)
}
