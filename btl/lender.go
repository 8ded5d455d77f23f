package btl

// A Lender is a module whose peers copy a short message from the sender's buffer, if they come soon.
type Lender interface {
	// Lend is Send for a caller that does not need the payload back at once. If it returns a Transfer, the payload
	// belongs to the message as in Offer. But Progress says done after a bounded number of calls, also if nobody
	// takes the message: it is then in memory of the module. The exceptions are a receiver that has stopped in the middle
	// of the copy, and one that has not given enough of such memory back.
	Lend(peer int, h *Header, payload []byte) (Transfer, bool)
}
