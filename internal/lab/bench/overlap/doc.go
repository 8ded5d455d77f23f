// Package overlap has the experiments of the KACC paper: computing while nonblocking collectives are underway, chains
// of broadcasts, and what a graph of operations costs.
package overlap
