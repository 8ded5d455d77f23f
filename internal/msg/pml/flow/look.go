package flow

// Batch is how many transfers one look asks, of many, in turn.
const Batch = 16

// Wider returns how many sends a wait asks that has looked so often, beside those that each look asks. The longer the
// wait lasts, the more it asks, and the less often: all of them together are less than twice what all looks ask.
func Wider(looks int) int {
	if looks < 2*Batch || looks&(looks-1) != 0 {
		return 0
	}
	return looks * Batch
}
