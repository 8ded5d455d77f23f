package cad

import "unsafe"

const actionBytes = int(unsafe.Sizeof(action{}))
