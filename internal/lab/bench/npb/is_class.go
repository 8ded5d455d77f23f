package npb

// An isProblem is a class of IS: numbers are powers of two.
type isProblem struct {
	keys, maxKey, buckets int // logarithms of how many keys and buckets, and of what keys are below
	tests                 [isTests]isTest
}

// An isTest says which rank (place in the sorted order) the key at an index has: it
// depends on the iteration, because each changes two keys.
type isTest struct {
	index int // in the sequence of all keys
	rank  int // in iteration 0
	slope int // what the rank grows by in each iteration
}

const (
	isIterations = 10
	isTests      = 5
)

// isProblems has what NPB 3 verifies partially.
var isProblems = map[Class]isProblem{
	S: {16, 11, 9, [isTests]isTest{{48427, 0, 1}, {17148, 18, 1}, {23627, 346, 1},
		{62548, 64917, -1}, {4431, 65463, -1}}},
	W: {20, 16, 10, [isTests]isTest{{357773, 1247, 1}, {934767, 11696, 1}, {875723, 1039987, -1}, {898999, 1043896, -1},
		{404505, 1048018, -1}}},
	A: {23, 19, 10, [isTests]isTest{{2112377, 103, 1}, {662041, 17522, 1}, {5336171, 123927, 1}, {3642833, 8288933, -1},
		{4250760, 8388265, -1}}},
	B: {25, 21, 10, [isTests]isTest{{41869, 33422937, -1}, {812306, 10244, 1}, {5102857, 59149, 1},
		{18232239, 33135281, -1}, {26860214, 99, 1}}},
	C: {27, 23, 10, [isTests]isTest{{44172927, 61147, 1}, {72999161, 882988, 1}, {74326391, 266290, 1},
		{129606274, 133997595, -1}, {21736814, 133525895, -1}}},
}
