package wire

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const payload = 1440

func dataPacket(flags uint8, h DataHeader, ack *AckHeader, body int) []byte {
	b := Prefix{Tag: 7, Kind: Data, Lane: 3, Flags: flags}.Append(nil)
	b = h.Append(b)
	if ack != nil {
		b = ack.Append(b)
	}
	return append(b, make([]byte, body)...)
}

func TestDataRoundTrip(t *testing.T) {
	h := DataHeader{Short: 40, Index: 2, Seq: 1 << 40, Total: 3, Place: 9, Payload: payload}
	ack := AckHeader{Next: 5, Limit: 9, Delay: 3, Queue: 1, Lane: 2}
	b := dataPacket(FlagAck|FlagMore, h, &ack, payload-40)
	p, err := ParsePrefix(b)
	require.NoError(t, err)
	require.Equal(t, Prefix{Tag: 7, Kind: Data, Lane: 3, Flags: FlagAck | FlagMore}, p)
	var got DataHeader
	var gotAck AckHeader
	body, err := ParseData(b, p, &got, &gotAck)
	require.NoError(t, err)
	require.Len(t, body, payload-40)
	require.Equal(t, h, got)
	require.Equal(t, ack, gotAck)
	require.Equal(t, uint64(1<<40-2), got.Begin())
	require.Equal(t, 3*payload-40, got.BlockLength())
}

func TestMalformedData(t *testing.T) {
	good := DataHeader{Index: 0, Seq: 4, Total: 2}
	cases := map[string][]byte{
		"no body":            dataPacket(0, good, nil, 0),
		"short body":         dataPacket(0, DataHeader{Short: 8, Seq: 4, Total: 2}, nil, 8),
		"index beyond total": dataPacket(0, DataHeader{Index: 2, Seq: 4, Total: 2}, nil, payload),
		"no packets":         dataPacket(0, DataHeader{Seq: 4}, nil, payload),
		"begins below zero":  dataPacket(0, DataHeader{Index: 5, Seq: 4, Total: 9}, nil, payload),
		"wraps":              dataPacket(0, DataHeader{Seq: ^uint64(0), Total: 2}, nil, payload),
		"empty last packet":  dataPacket(0, DataHeader{Short: payload, Index: 1, Seq: 5, Total: 2}, nil, 0),
		"void with a body":   dataPacket(FlagVoid, good, nil, payload),
		"flags of an ack":    dataPacket(FlagNack, good, nil, payload),
		"ack cut off":        dataPacket(FlagAck, DataHeader{Total: 1, Short: payload}, nil, AckSize-1),
		"ack with a bitmap":  dataPacket(FlagAck, DataHeader{Total: 1, Short: payload}, &AckHeader{Span: 1}, 0),
		"header cut off":     dataPacket(0, good, nil, 0)[:DataHeaderSize-1],
	}
	for name, b := range cases {
		p, err := ParsePrefix(b)
		require.NoError(t, err, name)
		var h DataHeader
		var a AckHeader
		_, err = ParseData(b, p, &h, &a)
		require.ErrorIs(t, err, ErrMalformed, name)
	}
}

func TestMalformedPrefix(t *testing.T) {
	good := Prefix{Tag: 7, Kind: Bye}.Append(nil)
	_, err := ParsePrefix(good)
	require.NoError(t, err)
	otherVersion := append([]byte(nil), good...)
	otherVersion[8] = 3<<4 | byte(Bye)
	for _, b := range [][]byte{
		nil, good[:9], otherVersion,
		Prefix{Tag: 7, Kind: 0}.Append(nil), Prefix{Tag: 7, Kind: Size + 1}.Append(nil),
		Prefix{Tag: 7, Kind: Hello}.Append(nil), Prefix{Kind: Data}.Append(nil),
	} {
		_, err := ParsePrefix(b)
		require.ErrorIs(t, err, ErrMalformed)
	}
}

func TestGreetingRoundTrip(t *testing.T) {
	g := GreetingHeader{From: 1, To: 2, Incarnation: 3, Expected: 4, Packet: 1472, Window: 8, Block: 9, Sealed: true}
	g.Nonce[0], g.Cookie[31] = 5, 6
	b := g.Append(nil, Open)
	require.Len(t, b, GreetingSize-ProofSize)
	b = append(b, make([]byte, ProofSize)...)
	var got GreetingHeader
	signed, proof, err := ParseGreeting(b, &got)
	require.NoError(t, err)
	require.Equal(t, g, got)
	require.Len(t, signed, GreetingSize-ProofSize)
	require.Len(t, proof, ProofSize)
}

// FuzzParse checks that whatever parses is written back to the very same bytes: the
// parsers accept nothing that a writer does not produce.
func FuzzParse(f *testing.F) {
	f.Add(dataPacket(0, DataHeader{Seq: 4, Total: 2}, nil, payload))
	f.Add(dataPacket(FlagAck, DataHeader{Total: 1, Short: payload - 8}, &AckHeader{Next: 2, Limit: 7, Lane: 5}, 8))
	f.Add(append((&AckHeader{Next: 1, Limit: 2, Span: 65, Resend: 3}).Append(Prefix{Tag: 1, Kind: Ack}.Append(nil)),
		make([]byte, 16)...))
	f.Add(ProbeHeader{Sent: 3, Backlog: 4}.Append(Prefix{Tag: 1, Kind: Probe}.Append(nil)))
	f.Add(append(SizeHeader{Number: 3, Size: 99}.Append(Prefix{Tag: 1, Kind: Size}.Append(nil)), make([]byte, 83)...))
	f.Add(SizeHeader{Number: 3, Size: 99}.Append(Prefix{Tag: 1, Kind: Size, Flags: FlagAnswer}.Append(nil)))
	f.Add(append((&GreetingHeader{Incarnation: 1, Packet: 1472}).Append(nil, Hello), make([]byte, ProofSize)...))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := ParsePrefix(b)
		if err != nil {
			return
		}
		var again []byte
		switch {
		case p.Kind == Data:
			var h DataHeader
			var a AckHeader
			body, err := ParseData(b, p, &h, &a)
			if err != nil {
				return
			}
			again = h.Append(p.Append(nil))
			if p.Flags&FlagAck != 0 {
				again = a.Append(again)
			}
			again = append(again, body...)
		case p.Kind == Ack:
			var a AckHeader
			m, err := ParseAck(b, p, &a)
			if err != nil {
				return
			}
			again = a.Append(p.Append(nil))
			again = append(again, m...)
		case p.Kind == Probe:
			h, err := ParseProbe(b)
			if err != nil {
				return
			}
			again = h.Append(p.Append(nil))
		case p.Kind.Greeting():
			var g GreetingHeader
			signed, proof, err := ParseGreeting(b, &g)
			if err != nil {
				return
			}
			require.Len(t, proof, ProofSize)
			again = g.Append(nil, p.Kind)
			b = signed
		default:
			return
		}
		require.Equal(t, b, again, "written again")
	})
}

// A train takes datagrams of its length, until a shorter one ends it.
func TestTrain(t *testing.T) {
	memory := make([]byte, 1000)
	train := Train{Length: 10, Bytes: memory[:10]}
	require.True(t, train.One())
	require.False(t, train.Takes(train.To, 11))
	train.Extend(30)
	require.Equal(t, 4, train.Count())
	require.True(t, train.Takes(train.To, 10))
	train.Extend(27)
	require.Equal(t, 7, train.Count())
	require.False(t, train.Takes(train.To, 10))
	var lengths []int
	for b := range train.All() {
		lengths = append(lengths, len(b))
	}
	require.Equal(t, []int{10, 10, 10, 10, 10, 10, 7}, lengths)
}
