package cli

// Examples follow the flags in the help of each command: a line for people, a command
// line, and so on.
var Examples = map[string][]string{
	"pvasrun": {
		"four ranks of a Go package, which is built first", "pvasrun -n 4 ./examples/hello",
		"two programs that make one job", "pvasrun -n 1 ./server : -n 3 ./client --fast",
		"a rank on each core, lines that say whose they are, at most 90 s",
		"pvasrun --bind core --tag-output --timeout 90 ./prog",
		"what messages and collectives have cost", "pvasrun -n 8 --stats ./prog",
		"where the ranks would lie", "pvasrun -n 4 --dry-run ./prog",
	},
	"pvasrun info": {
		"what works here, and how many ranks the limits allow", "pvasrun info",
		"the same for a program", "pvasrun info --json",
		"which of these nodes could take ranks", "pvasrun info --hosts n1,n2",
	},
	"pvasrun install-mpi": {
		"then mpicc and mpiexec are in ~/mpi/bin", "pvasrun install-mpi ~/mpi",
		"with another C compiler", "CC=clang pvasrun install-mpi ~/mpi",
	},
	"pvasrun bench": {
		"page tables, in one address space and with processes", "pvasrun bench touch -n 8,16,32,64",
		"latency, pinned, beside other MPIs",
		"pvasrun bench pingpong --bind core --sizes 8,4K,1M --compare openmpi,mpich",
		"the rate of short messages", "pvasrun bench mbw_mr --sizes 8",
		"columns of a matrix, beside a plain loop", "pvasrun bench column --bind core --sizes 4K,1M",
		"a collective operation of sixteen ranks", "pvasrun bench allreduce -n 16 --sizes 8,1M",
		"by eight goroutines of each rank", "pvasrun bench allreduce -n 4 --goroutines 8 --sizes 8",
	},
	"pvasrun bench touch": {
		"up to the size of the paper's experiment", "pvasrun bench touch -n 60,120,240",
	},
	"pvasrun bench footprint": {
		"all to all at 240 ranks, 2 KiB a pair", "pvasrun bench footprint -n 60,120,240 --sizes 2K",
	},
	"pvasrun bench npb": {
		"two kernels on four ranks, both task models", "pvasrun bench npb is,ft --class A -n 4 --btl pvas,sm",
	},
	"pvasrun bench overlap": {
		"what Open MPI and ours leave for computing, drawn",
		"pvasrun bench overlap --sizes 4K,64K,1M --compare openmpi --plot overlap.svg",
	},
	"pvasrun bench all": {
		"a first look, in three minutes", "pvasrun bench all --quick -o quick.jsonl --compare openmpi,mpich",
		"all of it; go on after an interrupt with the same command", "pvasrun bench all -o results.jsonl",
		"one experiment", "pvasrun bench all --quick --only footprint -o quick.jsonl",
	},
	"pvasrun bench report": {
		"a page to look at", "pvasrun bench report results.jsonl -o report.html",
	},
	"pvasrun bench diff": {
		"before and after a change", "pvasrun bench diff before.jsonl after.jsonl",
	},
	"pvasrun model fit": {
		"one address space and processes, caches warm and cold, in half a minute", "pvasrun model fit -o machine.json",
		"times that were measured before", "pvasrun model fit --from times.csv",
	},
	"pvasrun model run": {
		"a GOAL file on the network of the paper", "pvasrun model run two.goal --param myrinet",
		"a recorded job on this machine, with another eager limit",
		"pvasrun model run job.trace --machine machine.json --S 64K",
		"how well predictions fit", "pvasrun model run one.trace two.trace --machine machine.json",
	},
	"pvasrun model show": {
		"a recorded job, as a page", "pvasrun model show job.trace --machine machine.json",
		"would it hang without buffers?", "pvasrun model show job.trace --machine machine.json --synchronous",
	},
	"pvasrun model": {
		"what messages cost on this machine", "pvasrun model fit -o machine.json",
		"where the time of a recorded job goes", "pvasrun model show job.trace --machine machine.json",
	},
	"pvasrun model exchange": {
		"26 neighbours in three dimensions, four devices of 12.5 GB/s",
		"pvasrun model exchange --neighbors 26 --bandwidth 12.5",
		"simulate the exchange on a torus of 96 ranks", "pvasrun model exchange --torus 4x3x8 --sizes 1M",
	},
	"pvasrun tune": {
		"two minutes, on a machine that does nothing else", "pvasrun tune",
		"then the numbers are in force; see which", "pvasrun info",
		"measure longer, into a file for --profile", "pvasrun tune --max-seconds 600 --rounds 15 -o tuned.json",
	},
	"pvasrun trace": {
		"record a job", "pvasrun -n 4 --trace job.trace ./prog",
		"what it has done", "pvasrun trace info job.trace",
		"for https://ui.perfetto.dev", "pvasrun trace perfetto -o job.perfetto job.trace",
	},
	"pvasrun bench suci": {
		"what the transport does on links of 1 Gbit/s, drawn", "pvasrun bench suci --rate 1G --plot suci.svg",
		"messages from seven nodes at once, without TCP",
		"pvasrun bench suci --part gather --nodes 8 --rate 1G --carrier suci",
	},
	"pvasrun bench exchange": {
		"9 neighbors and 8 devices of 50 Mbit/s, made on this machine",
		"pvasrun bench exchange --neighbors 9 --devices 8 --sizes 1M",
		"two nodes, beside Open MPI over the same devices",
		"pvasrun bench exchange --hosts n1:1,n2:1 --devices eth0,eth1 --compare openmpi",
		"what each device sends when", "pvasrun bench exchange --sizes 1M --exchange wrap --plot exchange.html",
	},
	"pvasrun suci": {
		"a key for both ends", "pvasrun suci key -o suci.key",
		"on one node", "pvasrun suci serve --key suci.key",
		"on the other one, with the key copied to it", "pvasrun suci ping --key suci.key 10.1.0.2:7470",
		"round trips and streams of some lengths", "pvasrun suci bench --key suci.key --sizes 8,64K,1M 10.1.0.2:7470",
		"the flows of the serving end: round trip, window, losses", "pvasrun suci stat --key suci.key 10.1.0.2:7470",
	},
	"pvasrun completion": {
		"in this bash only", ". <(pvasrun completion bash)",
		"in every bash from now on", "pvasrun completion bash >~/.local/share/bash-completion/completions/pvasrun",
		"in every zsh, with that folder in fpath", "pvasrun completion zsh >~/.zfunc/_pvasrun",
		"in every fish", "pvasrun completion fish >~/.config/fish/completions/pvasrun.fish",
	},
}
