// Package evaluation makes the benchmarks into the evaluation of the PVAS paper: an Experiment for each table and
// figure, whose rounds package results keeps. Load also reads what single benchmarks have printed.
package evaluation
