//go:build !amd64

package output

var oldPolls, oldSelects, oldEpolls []int
