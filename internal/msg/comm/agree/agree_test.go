package agree

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDamagedAgreement: what arrives is looked at before it is believed.
func TestDamagedAgreement(t *testing.T) {
	for _, message := range []string{"", "\x01", "\x05\x00\x00\x00abcd", "\xff\xff\xff\xffabcd"} {
		_, err := split([]byte(message), 1)
		require.Error(t, err, "%q", message)
	}
	parts, err := split([]byte("\x02\x00\x00\x00ab\x00\x00\x00\x00"), 2)
	require.NoError(t, err)
	require.Equal(t, "ab/", string(parts[0])+"/"+string(parts[1]))
	_, err = decodeProposal([]byte(strings.Repeat("x", proposalSize-1)))
	require.Error(t, err)
	p := Proposal{Color: -1, Key: -1 << 62, Call: Call{number: 1 << 63}, ID: 1<<32 - 1,
		Refused: true, Data: []byte("data")}
	back, err := decodeProposal(p.encode())
	require.NoError(t, err)
	require.Equal(t, p, back)
}
