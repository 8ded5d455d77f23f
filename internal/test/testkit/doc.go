// Package testkit is what the tests of several packages need.
package testkit
