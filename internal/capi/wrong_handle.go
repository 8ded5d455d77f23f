package capi

// kindNames are what MPI calls the kinds.
var kindNames = [...]string{"", "communicator", "group", "datatype", "operator", "request", "info object",
	"error handler", "window", "file", "session", "message"}

// kindClasses are the error classes of wrong handles.
var kindClasses = [...]int{0, ERR_COMM, ERR_GROUP, ERR_TYPE, ERR_OP, ERR_REQUEST, ERR_INFO,
	ERR_ERRHANDLER, ERR_WIN, ERR_FILE, ERR_SESSION, ERR_REQUEST}

// constantKind returns the kind of a constant of the ABI, from the first number of each.
func constantKind(h uintptr) (handleKind, bool) {
	switch {
	case h >= 0x20 && h < 0x40:
		return kindOp, true
	case h >= 0x200:
		return kindType, true
	case h < 0x100 || h >= 0x188:
		return 0, false
	}
	starts := [...]struct {
		at   uintptr
		kind handleKind
	}{{0x180, kindRequest}, {0x140, kindErrhandler}, {0x130, kindInfo}, {0x128, kindMessage}, {0x120, kindSession},
		{0x118, kindFile}, {0x110, kindWin}, {0x108, kindGroup}, {0x100, kindComm}}
	for _, s := range starts {
		if h >= s.at {
			return s.kind, true
		}
	}
	return 0, false
}

// wrongHandle says what is wrong with a handle that should be of a kind.
func wrongHandle(kind handleKind, h uintptr) error {
	name, class := kindNames[kind], kindClasses[kind]
	if h < 0x400 {
		is, known := constantKind(h)
		switch {
		case !known:
			return fail(class, "%#x is no %s: it was never set", h, name)
		case is == kind:
			return fail(class, "the %s %#x is null, or can not be used here", name, h)
		}
		return fail(class, "%#x is of kind %s, not %s", h, kindNames[is], name)
	}
	if is := handleKind(h & (1<<kindBits - 1)); is != 0 && is <= kindMessage && is != kind && h < 1<<31 {
		return fail(class, "%#x is of kind %s, not %s", h, kindNames[is], name)
	}
	return fail(class, "the %s %#x was freed, or never made", name, h)
}
