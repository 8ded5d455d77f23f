// Command ranks is what the tests of package launcher run as ranks. It uses no
// package of this module: a rank may be any program.
//
//	ranks [-only RANK] VERB [ARG]
//
// A rank that is not the one named blocks until it is killed.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"syscall"
)

func main() {
	only := flag.Int("only", -1, "the rank that acts")
	flag.Parse()
	rank, _ := strconv.Atoi(os.Getenv("PVAS_RANK"))
	verb, arg := flag.Arg(0), flag.Arg(1)
	if *only >= 0 && *only != rank {
		verb = "block"
	}
	act, known := verbs[verb]
	if !known {
		fmt.Fprintln(os.Stderr, "unknown verb", verb)
		os.Exit(99)
	}
	act(rank, arg)
}

var verbs = map[string]func(rank int, arg string){
	"true":  func(int, string) {},
	"exit":  func(_ int, arg string) { announce(); code, _ := strconv.Atoi(arg); os.Exit(code) },
	"panic": func(int, string) { announce(); panic("on purpose") },
	"segv": func(int, string) {
		announce()
		// A Go program would turn the signal into a panic.
		panic(syscall.Exec("/bin/sh", []string{"sh", "-c", "kill -SEGV $$"}, os.Environ()))
	},
	"suicide": func(int, string) { announce(); syscall.Kill(os.Getpid(), syscall.SIGKILL); block() },
	"block":   func(int, string) { announce(); block() },
	"stubborn": func(int, string) {
		signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
		announce()
		block()
	},
	"polite":  polite,
	"signals": signals,
	"lines":   lines,
	"blob":    blob,
	"cat":     func(int, string) { io.Copy(os.Stdout, os.Stdin) },
	"listen":  listen,
	"say":     func(_ int, arg string) { fmt.Print(arg); fmt.Fprint(os.Stderr, arg) },
	"env":     func(_ int, arg string) { fmt.Printf("%s=%s\n", arg, os.Getenv(arg)) },
	"pwd":     func(int, string) { dir, _ := os.Getwd(); fmt.Println(dir, os.Getenv("PWD")) },
	"args":    func(int, string) { fmt.Printf("%q\n", os.Args) },
	"cpus":    func(rank int, _ string) { fmt.Println(rank, runtime.NumCPU()) },
	"areas":   areas,
	"flood":   func(int, string) { announce(); flood() },
	"sh":      shell,
	"orphan":  orphan,
}

// announce tells the test who this is.
func announce() {
	pgid, _ := syscall.Getpgid(0)
	fmt.Printf("pid %d pgid %d\n", os.Getpid(), pgid)
}

func block() {
	for {
		syscall.Pause()
	}
}

// listen says what rank 0 reads.
func listen(rank int, _ string) {
	announce()
	if rank != 0 {
		block()
	}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		fmt.Println("heard", lines.Text())
	}
}

// polite ends with a code of its own after INT.
func polite(_ int, arg string) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGINT)
	announce()
	<-c
	code, _ := strconv.Atoi(arg)
	os.Exit(code)
}

// signals prints the signals it gets until TERM.
func signals(int, string) {
	c := make(chan os.Signal, 8)
	signal.Notify(c, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGHUP, syscall.SIGCONT, syscall.SIGTERM)
	announce()
	for sig := range c {
		fmt.Println("got", sig)
		if sig == syscall.SIGTERM {
			os.Exit(0)
		}
	}
}

// lines prints lines of different lengths in many small writes.
func lines(rank int, arg string) {
	n, _ := strconv.Atoi(arg)
	for i := range n {
		line := fmt.Sprintf("%d:%d:%s:end\n", rank, i, strings.Repeat(string(rune('a'+rank)), i*37%5000))
		for part := range len(line)/1000 + 1 {
			os.Stdout.WriteString(line[part*1000 : min(len(line), (part+1)*1000)])
		}
	}
}

// blob prints bytes of all values, the same for the same rank.
func blob(rank int, arg string) {
	n, _ := strconv.Atoi(arg)
	r := rand.New(rand.NewPCG(uint64(rank), 1))
	w := bufio.NewWriter(os.Stdout)
	for range n {
		w.WriteByte(byte(r.Uint32()))
	}
	w.Flush()
}

// areas maps memory until there is no more to be had.
func areas(int, string) {
	announce()
	for prot := 0; ; prot = syscall.PROT_READ - prot { // areas of the same kind would merge
		if _, err := syscall.Mmap(-1, 0, 4096, prot, syscall.MAP_PRIVATE|syscall.MAP_ANON); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
}

func flood() {
	for {
		if _, err := os.Stdout.WriteString("more\n"); err != nil {
			block()
		}
	}
}

func shell(_ int, arg string) {
	cmd := exec.Command("/bin/sh", "-c", arg)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// orphan leaves a process behind in a session of its own that holds the output
// open, and prints its pid.
func orphan(_ int, arg string) {
	cmd := exec.Command("/bin/sleep", "1000")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	fmt.Printf("pid %d pgid %d\n", cmd.Process.Pid, cmd.Process.Pid)
	if arg == "block" {
		announce()
		block()
	}
}
