//go:build !amd64

package operator

// longDouble is C's long double.
var longDouble = quadFormat
