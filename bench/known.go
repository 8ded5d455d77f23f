package bench

// addKnown adds a figure, if there is one.
func addKnown(values map[string]float64, name string, kib *int64) {
	if kib != nil {
		values[name] = float64(*kib)
	}
}
