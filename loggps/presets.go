package loggps

import (
	"fmt"
	"slices"
	"strings"
)

// presets are the platforms of the paper's Table 5.
var presets = []Link{
	{
		Name: "myrinet", Source: "Ino et al. 2001, Table 5",
		Params: Params{L: 0.85e3, O: 6.73e3, Oss: 5.02, Ors: 4.72, Gs: 15.17, Osl: 4.80, Orl: 3.86, Gl: 0.04,
			Packet: 8191, Sync: 16383},
	},
	{
		Name: "fast-ethernet", Source: "Ino et al. 2001, Table 5",
		Params: Params{L: 24.58e3, O: 22.34e3, Oss: 12.37, Ors: 11.53, Gs: 188.77, Osl: 9.73, Orl: 9.89, Gl: 65.09,
			Packet: 1023, Sync: 16383},
	},
	{
		Name: "cenju-4", Source: "Ino et al. 2001, Table 5; the print has Orl+Gl only, all of it is Orl here",
		Params: Params{L: 0.51e3, O: 4.26e3, Oss: 19.61, Ors: 1.98, Gs: 0.04, Osl: 7.02, Orl: 0.28, Gl: 0,
			Packet: 1028, Sync: 1028},
		NotDetermined: []string{"Orl", "Gl"},
	},
}

// Presets are the names of the links that the library brings along.
func Presets() []string {
	var names []string
	for _, l := range presets {
		names = append(names, l.Name)
	}
	return names
}

// Preset returns a link of the paper's Table 5 by name.
func Preset(name string) (Link, error) {
	i := slices.IndexFunc(presets, func(l Link) bool { return l.Name == name })
	if i < 0 {
		return Link{}, fmt.Errorf("loggps: preset %q: no such link; there are %s", name, strings.Join(Presets(), ", "))
	}
	return presets[i], nil
}
