package machine

import (
	"cmp"
	"runtime"
	"strings"

	"github.com/klauspost/cpuid/v2"
)

// CPU describes the processors. Sizes are bytes, 0 where unknown.
type CPU struct {
	Model    string   `json:"model"`
	Usable   int      `json:"usable"` // CPUs this process may run on
	Line     int      `json:"cache_line"`
	L1D      int      `json:"l1d"`
	L2       int      `json:"l2"`
	L3       int      `json:"l3"`
	Virtual  string   `json:"virtual"`  // the hypervisor, or "none"
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

func detectCPU() CPU {
	c := CPU{
		Model:    cpuid.CPU.BrandName,
		Usable:   runtime.NumCPU(), // honours the affinity mask, as of the start of the process
		Line:     known(cpuid.CPU.CacheLine),
		L1D:      known(cpuid.CPU.Cache.L1D),
		L2:       known(cpuid.CPU.Cache.L2),
		L3:       known(cpuid.CPU.Cache.L3),
		Virtual:  hypervisor(),
		Features: []string{},
	}
	for _, f := range relevant {
		if cpuid.CPU.Supports(f) {
			c.Features = append(c.Features, f.String())
		}
	}
	return c
}

// Model returns the name of the processors, and CPUs how many of them this process may use.
func Model() string { return cpuid.CPU.BrandName }

// CPUs: see Model.
func CPUs() int { return runtime.NumCPU() }

// hypervisor names what a virtual machine runs on.
func hypervisor() string {
	if !cpuid.CPU.Supports(cpuid.HYPERVISOR) {
		return "none"
	}
	return cmp.Or(strings.Trim(cpuid.CPU.HypervisorVendorString, "\x00 "), "one without a name")
}

// known turns cpuid's -1 for "not detected" into 0.
func known(size int) int { return max(size, 0) }
