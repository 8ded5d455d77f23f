package sys

import (
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// MaxPassed is the number of descriptors one message carries at most.
const MaxPassed = 16

// Rights packs descriptors into a control message for WriteMsgUnix. The files
// must stay open until it has been sent.
func Rights(files []*os.File) []byte {
	if len(files) == 0 {
		return nil
	}
	fds := make([]int, len(files))
	for i, f := range files {
		fds[i] = int(f.Fd())
	}
	return unix.UnixRights(fds...)
}

// RightsSpace is the buffer that ReadMsgUnix needs for a control message of
// MaxPassed descriptors.
func RightsSpace() []byte { return make([]byte, unix.CmsgSpace(MaxPassed*4)) }

// ReceivedFiles unpacks the control message that ReadMsgUnix returned with
// flags. The caller owns the files; after an error there are none.
func ReceivedFiles(oob []byte, flags int) ([]*os.File, error) {
	messages, err := unix.ParseSocketControlMessage(oob)
	if err != nil {
		return nil, fmt.Errorf("parse control message: %w", err)
	}
	var files []*os.File
	for i := range messages {
		fds, err := unix.ParseUnixRights(&messages[i])
		if err != nil {
			continue // not descriptors
		}
		for _, fd := range fds {
			files = append(files, os.NewFile(uintptr(fd), "passed"))
		}
	}
	if flags&syscall.MSG_CTRUNC != 0 {
		for _, f := range files {
			f.Close()
		}
		return nil, fmt.Errorf("control message cut off: too many descriptors in it, or too many open here")
	}
	return files, nil
}
