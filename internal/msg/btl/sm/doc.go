// Package sm is the byte transfer layer of ranks that are separate processes: the
// classic way of sharing memory, and the measure of what one address space saves.
//
// Each rank has a segment of the job's memfd, a sparse extent at a fixed place.
// The rank gives out its segment from the start upwards and maps only what it has
// given out. A peer maps the pages of those bytes when it first needs them, by
// descriptor: there is no name in /dev/shm or elsewhere, and nothing is left when
// the processes are gone, however they went. The price is the one that the paper
// of Shimada, Hori and Ishikawa (see package pvas) is about: N ranks that read one another's memory have
// N times N mappings, and page tables for each.
//
// Memory that peers read where it lies (Direct) does not exist here.
package sm
