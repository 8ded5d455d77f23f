// Package report shows what benchmarks have found: a run of all as one page of HTML that
// needs nothing else, two runs as a comparison, and bench overlap as a plot.
//
// Page follows the evaluation of the PVAS paper (Shimada, Hori and Ishikawa, 2015): a
// section per table or figure, with what the paper found beside what was found here.
// Numbers are medians over the rounds, with the lowest and the highest beside them.
//
// Compare sets two runs side by side in the manner of benchstat: medians, and the
// Mann-Whitney U test, which assumes nothing about how times are distributed.
package report
