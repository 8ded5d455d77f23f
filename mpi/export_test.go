package mpi

// ExamplePrograms are the examples as programs of ranks, by name: see example_test.go.
var ExamplePrograms = map[string]func() error{}
