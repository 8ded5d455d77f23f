package btl

// Counters is what a module counts of the messages of its rank since it was
// opened. All of them only grow.
type Counters struct {
	InlineSent, InlineBytes         uint64 // messages sent within a queue slot, and their payload
	EagerSent, EagerBytes           uint64 // messages sent through an eager buffer
	OfferedSent, OfferedBytes       uint64 // messages offered, and their length
	Received                        uint64 // messages that Poll has delivered
	Fallbacks                       uint64 // offers that were copied aside because the receiver did not come at once
	DirectCopied, DirectBytes       uint64 // transfers received by reading the sender's memory
	CMACopied, CMABytes             uint64 // transfers received by process_vm_readv
	PipelinedCopied, PipelinedBytes uint64 // transfers received block by block
	HelpedBytes                     uint64 // bytes of direct transfers that this rank copied as their sender
	RefusedRing, RefusedCredit      uint64 // Send: receiver's queue full; credit or eager buffers used up
	Sleeps                          uint64 // times that a goroutine of this rank went to sleep
	Wakes                           uint64 // times that this rank woke another, or itself
}

// fields are all counters, in the order in which they are published in the root block.
func (c *Counters) fields() [19]*uint64 {
	return [...]*uint64{
		&c.InlineSent, &c.InlineBytes, &c.EagerSent, &c.EagerBytes, &c.OfferedSent, &c.OfferedBytes,
		&c.Received, &c.DirectCopied, &c.DirectBytes, &c.CMACopied, &c.CMABytes,
		&c.PipelinedCopied, &c.PipelinedBytes, &c.HelpedBytes, &c.RefusedRing, &c.RefusedCredit,
		&c.Sleeps, &c.Wakes, &c.Fallbacks,
	}
}

// Append appends all counters to a row, as they are published in the root block.
func (c *Counters) Append(row []uint64) []uint64 {
	for _, field := range c.fields() {
		row = append(row, *field)
	}
	return row
}

// Plus returns the sums of two modules' counters.
func (c Counters) Plus(o Counters) Counters {
	others := o.fields()
	for i, field := range c.fields() {
		*field += *others[i]
	}
	return c
}

// CountersOf is the inverse of Append. Values that are missing are 0.
func CountersOf(values []uint64) (c Counters) {
	for i, field := range c.fields() {
		if i < len(values) {
			*field = values[i]
		}
	}
	return c
}
