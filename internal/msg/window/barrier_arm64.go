package window

// barrier orders all loads and stores of the calling thread before it before those after it, plain ones too. The
// atomic operations of Go order plain accesses in one direction each: some of older processors let a later store pass.
func barrier()
