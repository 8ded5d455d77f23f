//go:build !amd64 && !arm64

package testkit

import "errors"

func adviceOfNothing(int) (int, error) { return 0, errors.ErrUnsupported }
