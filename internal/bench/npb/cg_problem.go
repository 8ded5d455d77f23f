package npb

// A cgProblem is a class of CG.
type cgProblem struct {
	n          int // order of the matrix
	nonzeros   int // of each of the vectors that it is made of
	iterations int
	shift      float64
	zeta       float64 // the result
}

var cgProblems = map[Class]cgProblem{
	S: {1400, 7, 15, 10, 8.5971775078648},
	W: {7000, 8, 15, 12, 10.362595087124},
	A: {14000, 11, 15, 20, 17.130235054029},
	B: {75000, 13, 75, 60, 22.712745482631},
	C: {150000, 15, 75, 110, 28.973605592845},
}
