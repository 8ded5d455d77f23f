// Package site has the flags by which measurements name nodes, or have them made on this machine.
package site
