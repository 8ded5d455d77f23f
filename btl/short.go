package btl

// Short are further message methods of a module that has them (Capabilities.Short): they move short messages in fewer
// steps. Each tries one way. If it returns false nothing has happened, and the caller goes on with the method that it
// stands for. There may be many reasons for that.
type Short interface {
	// SendShort is Send of a message whose header has no more than a context and a tag. It
	// makes no zero-copy attempt, as SendBuffer.
	SendShort(peer int, context uint32, tag int32, payload []byte) bool

	// TakeShort is Poll, and Release, for the oldest message, if that comes from the peer, has the
	// context and the tag (a negative one: any), and is not longer than buf. It copies the bytes to
	// buf, and returns their number and the tag. It looks once, and so many times more while there is none.
	TakeShort(looks int, peer int, context uint32, tag int32, buf []byte) (n int, got int32, ok bool)
}
