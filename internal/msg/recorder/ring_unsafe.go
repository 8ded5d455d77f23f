package recorder

import (
	"unsafe"

	"github.com/gopvas/gopvas/trace"
)

// headOf lays the head over a buffer of at least headerSize bytes.
func headOf(b []byte) *head { return (*head)(unsafe.Pointer(unsafe.SliceData(b[:headerSize]))) }

// recordsOf returns the records of a lane.
func recordsOf(b []byte, which int) []trace.Record {
	n := split(len(b))
	at := headerSize
	for i := range which {
		at += n[i] * trace.RecordSize
	}
	b = b[at : at+n[which]*trace.RecordSize]
	return unsafe.Slice((*trace.Record)(unsafe.Pointer(unsafe.SliceData(b))), n[which])
}

// bytesOf views records as bytes.
func bytesOf(r []trace.Record) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(r))), len(r)*trace.RecordSize)
}
