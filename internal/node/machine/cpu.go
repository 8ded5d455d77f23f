package machine

import (
	"cmp"
	"io/fs"
	"runtime"
	"strings"

	"github.com/klauspost/cpuid/v2"

	"github.com/gopvas/gopvas/internal/node/limits"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/internal/node/topology"
)

// CPU describes the processors. Sizes are bytes, 0 where unknown.
type CPU struct {
	Model    string   `json:"model"`
	Usable   int      `json:"usable"` // CPUs this process may run on
	Quota    float64  `json:"quota"`  // how many of them at a time, by its control group; 0: all
	Line     int      `json:"cache_line"`
	L1D      int      `json:"l1d"`
	L2       int      `json:"l2"`
	L3       int      `json:"l3"`
	Virtual  string   `json:"virtual"`  // the hypervisor, "none", or "unknown"
	Features []string `json:"features"` // of those that matter here, the ones present
}

// relevant are the features that change how memory is copied, waited for,
// measured or protected between ranks.
var relevant = []cpuid.FeatureID{
	cpuid.ERMS, cpuid.FSRM, cpuid.AVX2, cpuid.AVX512F, cpuid.MOVDIR64B, cpuid.CLDEMOTE, // copy
	cpuid.WAITPKG,                        // wait for a store
	cpuid.RDTSCP,                         // measure
	cpuid.HYPERVISOR,                     // a virtual machine: costs of faults and wake-ups differ
	cpuid.ATOMICS, cpuid.SVE, cpuid.MOPS, // arm64: atomics without a retry loop, copy
}

func detectCPU(root fs.FS) CPU {
	c := CPU{
		Model:    cpuid.CPU.BrandName,
		Usable:   runtime.NumCPU(), // honours the affinity mask, as of the start of the process
		Quota:    limits.CPUQuota(root),
		Line:     known(cpuid.CPU.CacheLine),
		L1D:      known(cpuid.CPU.Cache.L1D),
		L2:       known(cpuid.CPU.Cache.L2),
		L3:       known(cpuid.CPU.Cache.L3),
		Virtual:  hypervisor(),
		Features: []string{},
	}
	if usable, err := sys.Affinity(); err == nil { // the kernel also tells where the processor does not
		c.complete(topology.ReadCaches(root, usable[0]))
	}
	for _, f := range relevant {
		if cpuid.CPU.Supports(f) {
			c.Features = append(c.Features, f.String())
		}
	}
	return c
}

// complete fills in what is not known yet.
func (c *CPU) complete(k topology.Caches) {
	c.L1D, c.L2, c.L3, c.Line = cmp.Or(c.L1D, k.L1D), cmp.Or(c.L2, k.L2), cmp.Or(c.L3, k.L3), cmp.Or(c.Line, k.Line)
}

// Model returns the name of the processors, and CPUs how many of them this process may use.
func Model() string { return cpuid.CPU.BrandName }

// CPUs: see Model.
func CPUs() int { return runtime.NumCPU() }

// hypervisor names what a virtual machine runs on.
func hypervisor() string {
	switch {
	case runtime.GOARCH != "amd64":
		return "unknown" // the processor does not say
	case !cpuid.CPU.Supports(cpuid.HYPERVISOR):
		return "none"
	}
	return cmp.Or(strings.Trim(cpuid.CPU.HypervisorVendorString, "\x00 "), "one without a name")
}

// known turns cpuid's -1 for "not detected" into 0.
func known(size int) int { return max(size, 0) }
