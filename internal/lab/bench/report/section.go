package report

import "strings"

// A section is a table or figure of the paper, or what belongs beside them.
type section struct {
	experiment string
	title      string
	about      string // what is measured
	paper      string // what the paper found; "": it has none of this
	figures    []figure
	facts      func(*experiment) []fact
}

const mib = 1.0 / 1024 // from KiB

// sections are those of the page, in the order of the paper's evaluation.
var sections = []section{
	{
		experiment: "pingpong", title: "Latency of a message",
		about: "Half a round trip between two ranks, each on a CPU of its own. Up to the eager limit of 4 KiB a " +
			"message is copied to and fro; longer ones are a rendezvous, for which sm copies through a pipeline " +
			"(none) or by process_vm_readv (cma).",
		paper: "On 60 cores of a Xeon Phi, all are alike while messages are eager, and the one address space is the " +
			"fastest in a rendezvous, at every length.",
		figures: []figure{{
			title: "Half a round trip", value: "t_us", unit: "µs", x: overBytes, log: true,
		}},
		facts: latencyFacts,
	},
	{
		experiment: "rate", title: "Message rate",
		about: "64 messages under way from one rank to another, each on a CPU of its own.",
		figures: []figure{{
			title: "Messages per second", value: "messages_per_s", unit: "million/s", scale: 1e-6,
			x: overBytes, more: true,
		}},
	},
	{
		experiment: "bcast", title: "Broadcast",
		about: "One call of Bcast by all ranks, from changing roots.",
		paper: "240 ranks: alike while messages are eager; then the one address space is the fastest.",
		figures: []figure{{title: "Time of a call", value: "t_us", unit: "µs", x: overBytes,
			log: true, split: byRanks}},
		facts: latencyFacts,
	},
	{
		experiment: "allreduce", title: "Allreduce",
		about: "One call of Allreduce by all ranks, a sum of float64.",
		paper: "240 ranks: alike while messages are eager; then the one address space is the fastest.",
		figures: []figure{{title: "Time of a call", value: "t_us", unit: "µs", x: overBytes,
			log: true, split: byRanks}},
		facts: latencyFacts,
	},
	{
		experiment: "npb", title: "NAS Parallel Benchmarks",
		about: "Rates with the default eager limit, and with a rendezvous for every message. EP is left out, " +
			"as it sends nothing.",
		paper: "Classes A to C with 128 and 225 ranks: with the default eager limit up to 11 % faster than sm; with " +
			"a rendezvous for every message up to 18 % (SP, class B).",
		figures: []figure{{
			title: "Rate", value: "mops", unit: "Mop/s", x: overBenchmarks, split: bySetting, more: true,
		}},
		facts: npbFacts,
	},
	{
		experiment: "threads", title: "Ranks and threads",
		about: "The integer sort and the conjugate gradients of the NAS Parallel Benchmarks, by ranks, which " +
			"exchange messages, and by as many goroutines of one process, which share memory.",
		figures: []figure{{
			title: "Rate", value: "mops", unit: "Mop/s", x: overRanks, split: byBenchmark, more: true,
		}},
	},
	{
		experiment: "footprint", title: "Page tables and memory of Alltoall",
		about: "Every rank sends to every rank, again and again; what page tables and memory have grown by between " +
			"before the first call and after the last. 2 KiB are eager, 16 KiB a rendezvous. The model knows what " +
			"page tables of x86-64 should grow by, given how much of one another's memory the processes have mapped.",
		paper: "60 to 240 ranks, 1,000 calls: page tables of sm grow with the square of the ranks. At 240 the one " +
			"address space takes 264 MB (2 KiB) and 51 MB (16 KiB) less memory, and 256 MB less in " +
			"page tables (2 KiB).",
		figures: []figure{
			{title: "Growth of page tables", value: "tables_growth_kib", unit: "KiB", x: overRanks, split: byBytes,
				log: true, exponent: true},
			{title: "Growth of memory (PSS)", value: "pss_growth_kib", unit: "MiB", scale: mib, x: overRanks,
				split: byBytes, log: true, exponent: true},
			{title: "Time of a call", value: "t_us", unit: "µs", x: overRanks, split: byBytes,
				log: true, exponent: true},
		},
		facts: footprintFacts,
	},
	{
		experiment: "is-memory", title: "Memory of IS",
		about: "The integer sort of the NAS Parallel Benchmarks: memory (PSS) and page tables (VmPTE) of all its " +
			"processes at its end. The paper took the difference of the whole machine, which small jobs drown in.",
		paper: "Class A, 128 ranks.",
		figures: []figure{
			{title: "Memory", value: "own_memory_kib", unit: "MiB", scale: mib, x: overSettings},
			{title: "Page tables", value: "own_tables_kib", unit: "MiB", scale: mib, x: overSettings},
			{title: "Rate", value: "mops", unit: "Mop/s", x: overSettings, more: true},
		},
		facts: isFacts,
	},
	{
		experiment: "pie", title: "Position independence",
		about: "Programs must be position independent to be loaded at any address. CPU time of one that multiplies, " +
			"sorts and hashes, at a fixed address and position independent; and the time of a job of one " +
			"rank that does nothing.",
		paper: "Position independence changes the time of the NAS Parallel Benchmarks by −0.5 % to +1.4 %.",
		figures: []figure{
			{title: "CPU time", value: "cpu_s", unit: "ms", scale: 1e3, x: overBenchmarks, curve: bySetting,
				base: fixedAddress, of: relative},
			{title: "A job that does nothing", value: "job_s", unit: "ms", scale: 1e3, x: overBenchmarks,
				curve: bySetting, base: fixedAddress, of: relative},
		},
		facts: pieFacts,
	},
	{
		experiment: "huge-pages", title: "Huge pages",
		about: "Every rank reads 2 MiB of each other's memory in one address space, without and with transparent " +
			"huge pages for it. Page tables hardly differ, as Linux keeps a table page in reserve for each huge page.",
		paper: "Huge pages make page tables smaller too, but waste memory, and are to be used with care.",
		figures: []figure{
			{title: "Growth of page tables", value: "tables_growth_kib", unit: "KiB", x: overRanks, curve: bySetting,
				base: "normal pages", of: relative},
			{title: "Time to read all", value: "t_s", unit: "ms", scale: 1e3, x: overRanks, curve: bySetting,
				base: "normal pages", of: relative},
		},
	},
	{
		experiment: "startup", title: "Start-up",
		about:   "Time of a job that does nothing, from the start of its first process to the end of its last.",
		figures: []figure{{title: "Time of a job", value: "t_s", unit: "s", x: overRanks, log: true}},
	},
	{
		experiment: "overlap", title: "Computing while communicating",
		about: "Two ranks multiply small matrices while an Ibcast is underway, and call Test so often meanwhile, or " +
			"after each product until it is there. Ours are named by who makes progress (share: ranks that wait, and " +
			"helpers; owner: each rank for itself) and by the number of helpers; with N, a thread per rank. Chain: 1 " +
			"MiB goes down a chain of ranks that compute for 10 ms, call Test once, and so on.",
		figures: []figure{
			{title: "Share of CPU time not spent computing", value: "noncompute_percent", unit: "%", x: overTests,
				split: byBenchmarkAndBytes, base: sharing},
			{title: "Until the broadcast is there", value: "t_us", unit: "µs", x: overBytes, split: byBenchmark,
				base: sharing, log: true},
			{title: "Until the last rank of the chain has the data", value: "periods", unit: "periods of 10 ms",
				x: overBenchmarks, base: sharing},
		},
	},
}

// fixedAddress is the setting of experiment pie that others are set against.
const fixedAddress = "fixed address, process"

// sharing is the contender of experiment overlap that others are set against.
const sharing = "pvas share+0"

var overTests = axis{"tests", nil, func(s *sample) string { return strings.TrimSuffix(s.setting, " tests") }, false}

func byBenchmark(s *sample) string         { return s.benchmark }
func byBenchmarkAndBytes(s *sample) string { return s.benchmark + ", " + size(s.bytes) }

var overSettings = axis{"messages", nil, func(s *sample) string { return s.setting }, false}

// relative is how long something takes for each unit of the base.
func relative(base, v float64) float64 { return v / base }
