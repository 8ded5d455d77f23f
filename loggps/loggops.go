package loggps

import "fmt"

// LogGOPS are the parameters of the model with one overhead and one gap per byte:
// Hoefler, Schneider, Lumsdaine, "LogGOPSim: Simulating Large-Scale Applications in the
// LogGOPS Model" (2010). They are a special case of Params.
type LogGOPS struct {
	L        float64 // latency, ns
	Overhead float64 // o, ns
	Gap      float64 // g: between messages of one NIC, ns
	GapByte  float64 // G, ns/byte
	OverByte float64 // O, ns/byte
	S        int64   // the longest eager message, bytes
}

// Params returns the same machine with the parameters of LogGPS: one packet size, and
// no difference between the sides and the protocols.
func (m LogGOPS) Params() Params {
	return Params{
		L: m.L, O: m.Overhead, Gap: m.Gap, Packet: m.S, Sync: m.S,
		Oss: m.OverByte, Ors: m.OverByte, Osl: m.OverByte, Orl: m.OverByte,
		Gs: m.GapByte, Gl: m.GapByte,
	}
}

// LogGOPS returns the parameters as LogGOPS has them, or an error if it cannot say them.
func (p Params) LogGOPS() (LogGOPS, error) {
	if p.Oss != p.Ors || p.Oss != p.Osl || p.Oss != p.Orl || p.Gs != p.Gl {
		return LogGOPS{}, fmt.Errorf("loggps: parameters: LogGOPS has one overhead and one gap per byte; " +
			"make Oss, Ors, Osl, Orl equal, and Gs and Gl, or use LogGPS")
	}
	return LogGOPS{L: p.L, Overhead: p.O, Gap: p.Gap, GapByte: p.Gs, OverByte: p.Oss, S: p.Sync}, nil
}
