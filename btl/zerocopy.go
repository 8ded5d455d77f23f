package btl

// A ZeroCopySender is a module whose peers copy a short message from the sender's buffer, if they come soon.
type ZeroCopySender interface {
	// SendZeroCopy is Send for a caller that does not need the payload back at once: the zero-copy attempt may go on after
	// it has returned. If it returns a Transfer, the attempt is pending, and the payload belongs to the message as in
	// Offer. After a bounded number of calls in vain, Progress falls back: it copies the payload to memory of
	// the module, and says done. If the receiver has begun to copy then, or has not given enough of such memory back, the
	// message stays as if offered. False is as in Send, also for NoCredit.
	SendZeroCopy(peer int, h *Header, payload []byte) (Transfer, bool)
}
