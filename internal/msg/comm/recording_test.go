package comm

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/btl/mail"
	"github.com/gopvas/gopvas/internal/msg/recorder"
)

// TestInlineLimits: the recorder estimates the start of sends that go inline, and of no others.
func TestInlineLimits(t *testing.T) { require.EqualValues(t, mail.InlineLimit, recorder.Inline) }
