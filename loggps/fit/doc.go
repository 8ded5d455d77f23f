// Package fit finds the parameters of a link from measured times: equations (12) to (14)
// of the paper.
//
// Measure round trips of several sizes, with a loop of w = 0 ns before the receive at the
// measuring side, and with a loop of w = W that is longer than the round trip. Time many
// calls per reading of the clock, several times for each size, sizes mixed. Measure also
// some blocking sends of at most S bytes, each to a receiver that waits: without them only
// the sum Oss + Ors can be known.
//
// Noise is relative to the whole time, so a loop spoils least if it is barely longer than the
// round trip, at each size: a quarter longer is enough. Sends of many sizes help most.
//
// Given s and S all those times are linear in the parameters, so one least squares fit
// with relative weights uses every sample; s and S are those of the sizes that make it
// fit best, and the simplest model wins unless another is clearly better. Samples far from
// others of their size are removed as outliers.
//
// Round trips do not determine everything. With 1 % of noise no fit can tell the Gl of the
// paper's Myrinet (0.04 ns/byte beside slopes of 5). So each parameter comes with a
// confidence interval, which holds however times scatter, and one whose interval is too wide
// is reported as not determined.
package fit
