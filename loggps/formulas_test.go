package loggps

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func myrinet(t *testing.T) Params {
	t.Helper()
	l, err := Preset("myrinet")
	require.NoError(t, err)
	return l.Params
}

// The straight lines of the round trips that the paper prints for Myrinet, to the digits
// that Table 5 has.
func TestRoundTripLinesOfThePaper(t *testing.T) {
	p := myrinet(t)
	const w = 5e5
	line := func(lo, hi int64, w float64) (intercept, slope float64) {
		a, b := p.RoundTrip(lo, w), p.RoundTrip(hi, w)
		slope = (b - a) / float64(hi-lo)
		return a - slope*float64(lo), slope
	}
	intercept, slope := line(0, 1000, 0)
	assert.InDelta(t, 2.862000e4, intercept, 10) // 4o' + 2L
	assert.InDelta(t, 4.979819e1, slope, 0.05)   // 2(Oss + Ors + Gs)
	_, slope = line(10000, 16000, 0)
	assert.InDelta(t, 1.955259e1, slope, 0.05) // 2(Oss + Ors + Gl)
	_, slope = line(20000, 30000, 0)
	assert.InDelta(t, 1.740265e1, slope, 0.05) // 2(Osl + Orl + Gl)
	intercept, slope = line(0, 1000, w)
	assert.InDelta(t, 5.134580e5, intercept, 10) // 2o' + W
	assert.InDelta(t, 9.733257, slope, 0.01)     // Oss + Ors
	_, slope = line(20000, 30000, w)
	assert.InDelta(t, 1.350428e1, slope, 0.05) // 2Osl + Orl + Gl
}

func TestJumpsAtS(t *testing.T) {
	for _, name := range Presets() {
		l, err := Preset(name)
		require.NoError(t, err)
		p, s, big := l.Params, float64(l.Params.Packet), float64(l.Params.Sync)
		jump := func(w float64) float64 { // the upper line at S, less the lower one
			a, b := p.RoundTrip(p.Sync+1, w), p.RoundTrip(p.Sync+2, w)
			return a - (b - a) - p.RoundTrip(p.Sync, w)
		}
		d0 := 8*p.O + 4*p.L + 2*big*(p.Osl-p.Oss) + 2*big*(p.Orl-p.Ors)
		dw := 8*p.O + 4*p.L + big*(2*p.Osl-p.Oss) + big*(p.Orl-p.Ors) + s*p.Gs + (big-s)*p.Gl
		assert.InEpsilon(t, d0, jump(0), 1e-9, name)
		assert.InEpsilon(t, dw, jump(1e7), 1e-9, name)
	}
	assert.InDelta(t, 242770, func() float64 {
		p := myrinet(t)
		a, b := p.RoundTrip(16384, 5e5), p.RoundTrip(16385, 5e5)
		return 2*a - b - p.RoundTrip(16383, 5e5)
	}(), 100)
}

// A receive that begins before everything ends when the message has been received, and
// the sum of the parts is the communication time.
func TestTimesFitTogether(t *testing.T) {
	p := myrinet(t)
	for _, k := range []int64{0, 1, 8191, 8192, 16383, 16384, 1 << 20} {
		assert.InDelta(t, p.CommTime(k, 0), p.RecvTime(k, 0), 1e-6, k)
		assert.Less(t, p.SendTime(k, 0), p.CommTime(k, 0), k)
		late := 1e9 // the receiver finds the message, or the request, waiting
		if p.Eager(k) {
			assert.Equal(t, p.T3(float64(k)), p.RecvTime(k, late), k)
		} else {
			assert.InDelta(t, late, p.SendTime(k, late)-p.T5()-p.T1Long(float64(k))-p.O, 1e-3, k)
		}
	}
	assert.Equal(t, p.O, p.WaitTime(100, 200))
	assert.Equal(t, 2*p.O, p.WaitTime(3*p.O, p.O))
	assert.Equal(t, p.O, p.IsendTime())
	assert.Equal(t, p.O, p.IrecvTime())
}

// What if S were below the packet size? A message between them is a rendezvous of one
// packet.
func TestLimitBelowPacket(t *testing.T) {
	p := myrinet(t)
	eager := p.CommTime(1000, 0)
	p.Sync = 0
	assert.InDelta(t, eager+p.T4(0)+p.T5()+1000*(p.Osl+p.Orl-p.Oss-p.Ors), p.CommTime(1000, 0), 1e-6)
	assert.InDelta(t, p.CommTime(1000, 0), p.RecvTime(1000, 0), 1e-6)
}

func TestTermsOf(t *testing.T) {
	p := myrinet(t)
	for _, k := range []int64{0, 8191, 8192, 16384} {
		f := func(p Params) float64 { return p.CommTime(k, 0) }
		terms := TermsOf(p, f)
		assert.InEpsilon(t, f(p), terms.Time(p), 1e-12)
	}
	long := TermsOf(p, func(p Params) float64 { return p.CommTime(20000, 0) })
	assert.Equal(t, Terms{3, 6, 0, 0, 20000, 20000, 8191, 20000 - 8191, 0}, long)
}

func TestSharedBandwidth(t *testing.T) {
	p := myrinet(t)
	q := p.Shared(4)
	assert.Equal(t, 4*p.Gs, q.Gs) // the largest of the small ones
	assert.Equal(t, 4*p.Osl, q.Osl)
	assert.Equal(t, p.Oss, q.Oss)
	assert.Equal(t, p.Gl, q.Gl)
}

func TestLogGOPSIsASpecialCase(t *testing.T) {
	m := LogGOPS{L: 1, Overhead: 2, Gap: 3, GapByte: 4, OverByte: 5, S: 6}
	back, err := m.Params().LogGOPS()
	require.NoError(t, err)
	assert.Equal(t, m, back)
	_, err = myrinet(t).LogGOPS()
	assert.ErrorContains(t, err, "make Oss, Ors, Osl, Orl equal")
}

func TestLinkOf(t *testing.T) {
	m := Machine{RanksPerNode: 2, Links: make([]Link, 3)} // memory and two devices
	for _, c := range []struct{ src, dst, nic, link int }{
		{0, 1, 0, 0}, {1, 2, 0, 1}, {1, 2, 1, 2}, {1, 2, 7, 2}, {3, 2, 1, 0},
	} {
		assert.Equal(t, c.link, m.LinkOf(c.src, c.dst, uint8(c.nic)), c)
	}
	m.RanksPerNode = 0
	assert.Zero(t, m.LinkOf(0, 1000, 1))
}

func TestMachineFile(t *testing.T) {
	l, err := Preset("myrinet")
	require.NoError(t, err)
	l.Interval = map[string][2]float64{"L": {800, 900}}
	m := Machine{Links: []Link{l, {Name: "device", Params: LogGOPS{S: 5}.Params()}}, RanksPerNode: 4,
		Recording: map[string]float64{"send recv": 150}}
	var b bytes.Buffer
	require.NoError(t, m.Write(&b))
	assert.Contains(t, b.String(), `"ns/byte"`)
	assert.Contains(t, b.String(), `"Ino et al. 2001, Table 5"`)
	back, err := Read(&b)
	require.NoError(t, err)
	assert.Equal(t, m, back)
}

func TestMachineFileMistakes(t *testing.T) {
	for text, want := range map[string]string{
		`{`: "read parameters",
		`{"model":"LogP","version":1,"links":[]}`:                                                     `model "LogP"`,
		`{"model":"LogGPS","version":2,"links":[]}`:                                                   "version 2",
		`{"model":"LogGPS","version":1,"links":[]}`:                                                   "no links",
		`{"model":"LogGPS","version":1,"units":{"s, S":"KiB"},"links":[{}]}`:                          `is "KiB"`,
		`{"model":"LogGPS","version":1,"links":[{"name":"x","params":{"L":-1}}]}`:                     "link x",
		`{"model":"LogGPS","version":1,"links":[{"params":{"s":5,"S":-4}}]}`:                          "s=5, S=-4",
		`{"model":"LogGPS","version":1,"ranks_per_node":-1,"links":[{"params":{}}]}`:                  "ranks per node",
		`{"model":"LogGPS","version":1,"links":[{"name":"y","params":{"Gl":1e999}}],"ranks_per_n":1}`: "Gl",
	} {
		_, err := Read(strings.NewReader(text))
		assert.ErrorContains(t, err, want, text)
	}
	for rest, want := range map[string]string{
		`,"links":[{"params":{"LL":5}}]}`: `unknown field "LL"`, `,"link":[{}]}`: `unknown field "link"`,
		`,"links":[{}]} {}`: "more behind the parameters",
	} {
		_, err := Read(strings.NewReader(`{"model":"LogGPS","version":1` + rest))
		assert.ErrorContains(t, err, want, rest)
	}
	assert.Error(t, Params{L: math.NaN()}.Validate())
	_, err := Preset("token-ring")
	assert.ErrorContains(t, err, "myrinet, fast-ethernet, cenju-4")
}

func FuzzRead(f *testing.F) {
	b, err := json.Marshal(Single(Params{L: 1}))
	require.NoError(f, err)
	f.Add(b)
	f.Add([]byte(`{"model":"LogGPS","version":1,"links":[{"params":{"L":1e300}}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := Read(bytes.NewReader(text))
		if err != nil {
			return
		}
		var b bytes.Buffer
		require.NoError(t, m.Write(&b))
		again, err := Read(&b)
		require.NoError(t, err)
		assert.Equal(t, len(m.Links), len(again.Links))
	})
}

func TestParseParams(t *testing.T) {
	p, err := ParseParams("L=2500,o=1500, g=1000,G=6,O=0.5,S=65535")
	require.NoError(t, err)
	assert.Equal(t, LogGOPS{2500, 1500, 1000, 6, 0.5, 65535}.Params(), p)
	p, err = ParseParams("S=64K,s=1MiB")
	require.NoError(t, err)
	assert.Equal(t, Params{Sync: 64 << 10, Packet: 1 << 20}, p)
	p, err = ParseParams("G=6,Gs=4,s=10")
	require.NoError(t, err)
	assert.Equal(t, Params{Gs: 4, Gl: 6, Packet: 10, Sync: Unlimited}, p)
	for text, want := range map[string]string{
		"":        "want NAME=NUMBER",
		"L":       `parameter "L"`,
		"L=x":     "such as L=2500",
		"L=1,L=2": "L is given twice",
		"l=5":     "there are L, o, Oss",
		"S=1.5":   "whole bytes",
		"S=-1":    "whole bytes",
		"L=-1":    "no cost",
		"o=NaN":   "no cost",
	} {
		_, err := ParseParams(text)
		assert.ErrorContains(t, err, want, text)
	}
}
