package results

// AddKnown adds a figure, if there is one.
func AddKnown(values map[string]float64, name string, kib *int64) {
	if kib != nil {
		values[name] = float64(*kib)
	}
}
