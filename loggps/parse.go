package loggps

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/docker/go-units"
)

// Unlimited is an S, or s, beyond every message.
const Unlimited = 1 << 53

// ParseParams reads parameters as a person types them: L=2500,o=1500,Oss=0.1,S=64K. The
// names are those of Params in JSON. Besides, G stands for Gs and Gl, and O for all four
// overheads per byte, as in LogGOPS. What is left out is 0; S is Unlimited, and s is S.
func ParseParams(text string) (Params, error) {
	var v [NumValues]float64
	p := Params{Packet: -1, Sync: Unlimited}
	seen := map[string]bool{}
	for _, field := range strings.Split(text, ",") {
		name, value, ok := strings.Cut(strings.TrimSpace(field), "=")
		x, err := strconv.ParseFloat(value, 64)
		if n, wrong := units.RAMInBytes(value); err != nil && wrong == nil && (name == "s" || name == "S") {
			x, err = float64(n), nil
		}
		if !ok || err != nil {
			return Params{}, fmt.Errorf("loggps: parameter %q: want NAME=NUMBER, such as L=2500", field)
		}
		if seen[name] {
			return Params{}, fmt.Errorf("loggps: parameter %q: %s is given twice", field, name)
		}
		seen[name] = true
		i := slices.Index(Names[:], name)
		switch {
		case i >= 0:
			v[i] = x
		case name == "G":
			v[6], v[7] = x, x
		case name == "O":
			v[2], v[3], v[4], v[5] = x, x, x, x
		case (name == "s" || name == "S") && x >= 0 && x <= Unlimited && x == float64(int64(x)):
			if name == "S" {
				p.Sync = int64(x)
			} else {
				p.Packet = int64(x)
			}
		default:
			return Params{},
				fmt.Errorf("loggps: parameter %q: there are %s, G, O, and the sizes s and S in whole bytes, "+
					"such as 64K", field, strings.Join(Names[:], ", "))
		}
	}
	if p.Packet < 0 {
		p.Packet = p.Sync
	}
	p = p.With(v)
	return p, p.Validate()
}
