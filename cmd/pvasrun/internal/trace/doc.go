// Package trace has the commands that look at what --trace has recorded: info, list and perfetto.
package trace
