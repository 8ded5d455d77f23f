// Package median finds the middle of a list, which stays as it is and may not be empty.
package median
