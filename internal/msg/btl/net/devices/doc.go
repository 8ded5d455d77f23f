// Package devices is the ways of a rank to other nodes: an endpoint of suci on each network device of its node, which
// reaches the devices of the same number of others. It sends messages, in their order, and bytes that receivers have
// granted, each by the devices that suit. path.go handles devices that fail. The sender cuts bytes into pieces, by a
// plan of package exchange, and sends them by several devices (schedule.go, group.go, share.go). sample.go measures how
// fast devices are.
package devices
