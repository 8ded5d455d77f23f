package message

import "unsafe"

const actionBytes = int(unsafe.Sizeof(action{}))
