// Package memory has the experiments of the PVAS paper on page tables and memory: Touch, where every rank reads the
// memory of all others, and Footprint, an all-to-all. The startup of a rank is here, too.
package memory
