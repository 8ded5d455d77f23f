//go:build !amd64

package operator

func (all *table) withVectors(Element) {}
