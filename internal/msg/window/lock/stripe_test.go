package lock

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/test/testkit"
)

// Each word of a call is changed as the flag of the part says in which it begins.
func TestAlike(t *testing.T) {
	random := rand.New(rand.NewPCG(testkit.Seed(t), 0))
	for range 2000 {
		var s Stripe
		s.singles.Store(random.Uint64() & random.Uint64() & random.Uint64())
		if random.IntN(3) == 0 {
			s.singles.Store(^s.singles.Load())
		}
		size := 4 << random.IntN(2)
		at := uintptr(5<<stripeShift + 4*random.IntN(1<<stripeShift/4))
		n := size * (1 + random.IntN((int(StripeEnd(at)-at)+size-1)/size))
		var got, want []bool
		for done := 0; done < n; {
			k, singles := s.Alike(at+uintptr(done), n-done, size)
			require.True(t, k > 0 && k%size == 0 && done+k <= n, "%d of %d bytes from %#x on", k, n-done, at)
			for range k / size {
				got = append(got, singles)
			}
			done += k
		}
		for i := at; i < at+uintptr(n); i += uintptr(size) {
			want = append(want, s.singles.Load()>>(i/256%64)&1 != 0)
		}
		require.Equal(t, want, got, "flags %#x, %d bytes from %#x on", s.singles.Load(), n, at)
	}
}
