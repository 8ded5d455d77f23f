// Package show makes a page of HTML that shows what the ranks of a program do over time: as
// measured, as predicted, or one above the other. The page is one file, needs no network and
// works for a million pieces: from afar a column of the picture shows the shares of what
// happens in it, and only from close by single pieces.
//
// A page is made of timelines and tables. Predict makes them of a graph and a machine; what was
// measured is the caller's.
package show
