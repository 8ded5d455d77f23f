package run

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMappings(t *testing.T) {
	for text, want := range map[string]mapping{
		"slot": {}, "node": {byNode: true}, "core": {by: "core"}, "l3cache": {by: "l3"}, "numa": {by: "numa"},
		"package": {by: "socket"}, "socket:PE=4": {by: "socket", cpus: 4},
		"slot:pe=2:OVERSUBSCRIBE": {cpus: 2}, "node:PE=8": {byNode: true, cpus: 8}, ":NOOVERSUBSCRIBE": {single: true},
		"ppr:2:node": {each: 2}, "ppr:2:socket:PE=3": {by: "socket", each: 2, cpus: 3},
	} {
		m := mapping{cpus: 7}
		require.NoError(t, m.UnmarshalFlag(text), text)
		require.Equal(t, want, m, text)
	}
	for _, text := range []string{":", "l4", "ppr", "ppr:x:node", "ppr:1:slot", "ppr:1:board", "numa:", "numa:PE",
		"numa:PE=x", "numa:PE=70000",
		"ppr:1:node,1:socket"} {
		require.Error(t, new(mapping).UnmarshalFlag(text), text)
	}
}
