// Package chart draws charts as SVG: dots with their ranges, and lines, over two axes that may be
// logarithmic. Callers give numbers and names. Colours and fonts are classes of the style sheet
// CSS, which has light and dark ones.
//
// A chart that is part of a page is SVG alone; the page has the style sheet, the title and the
// legend. Write makes a file of charts side by side, with all that.
package chart
