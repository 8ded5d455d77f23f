// Package gocmd runs the go command so that it ends with this process, however that ends.
package gocmd
