//go:build mpich

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
	capi.Values = (*[len(C.libmpi_handles)]uint32)(unsafe.Pointer(&C.libmpi_handles))
	capi.Numbers = (*[len(C.libmpi_numbers)]capi.PredefinedInt)(unsafe.Pointer(&C.libmpi_numbers))
}
