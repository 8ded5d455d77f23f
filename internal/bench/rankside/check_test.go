package rankside

import (
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTry(t *testing.T) {
	require.NoError(t, Try(func() { Check(nil) }))
	after := false
	err := Try(func() {
		require.Equal(t, 1, Value(1, nil))
		Value(2, io.ErrUnexpectedEOF)
		after = true
	})
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.False(t, after)
	require.PanicsWithError(t, "a mistake", func() { _ = Try(func() { panic(errors.New("a mistake")) }) })
}
