// Package check does what calls on a window do beside their work if they are counted, recorded or checked (--check): it
// finds operations that conflict, and epochs that begin or end wrongly. Other windows have none of it.
package check
