//go:build openmpi

package main

/*
#include "face.h"
*/
import "C"

import (
	"unsafe"

	"github.com/gopvas/gopvas/internal/capi"
)

func init() {
	capi.Objects = (*[len(C.libmpi_objects)]uintptr)(unsafe.Pointer(&C.libmpi_objects))
	capi.Integers = (*[len(C.libmpi_integers)]int16)(unsafe.Pointer(&C.libmpi_integers))
}
