package pmi

import (
	"bufio"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"strconv"
	"strings"

	"github.com/gopvas/gopvas/internal/node/sys"
)

// ErrNone says that no PMI launcher has started this process.
var ErrNone = errors.New("pmi: neither PMI_FD nor PMI_PORT is set: start pvasrun by a PMI launcher, such as srun " +
	"--mpi=pmi2 or mpiexec.hydra")

// A Client is the connection to the launcher. One goroutine uses it.
type Client struct {
	Rank, Size int // of the processes that the launcher has started

	conn  io.ReadWriteCloser
	lines *bufio.Reader
	space string // of keys and values
	most  int    // length of a value
}

// Open connects to the launcher that get, such as os.Getenv, tells of.
func Open(get func(string) string) (*Client, error) {
	c := &Client{}
	var err error
	switch {
	case get("PMI_FD") != "":
		err = c.openDescriptor(get)
	case get("PMI_PORT") != "":
		err = c.openPort(get)
	default:
		return nil, ErrNone
	}
	if err == nil {
		err = c.begin()
	}
	if err != nil {
		if c.conn != nil {
			c.conn.Close()
		}
		return nil, fmt.Errorf("pmi: connect to the launcher: %w", err)
	}
	return c, nil
}

// openDescriptor takes the inherited descriptor. What this process starts does not inherit it.
func (c *Client) openDescriptor(get func(string) string) error {
	fd, err := number("PMI_FD", get("PMI_FD"))
	if err != nil {
		return err
	}
	if c.Rank, err = number("PMI_RANK", get("PMI_RANK")); err != nil {
		return err
	}
	if c.Size, err = number("PMI_SIZE", get("PMI_SIZE")); err != nil {
		return err
	}
	inherited := os.NewFile(uintptr(fd), "PMI_FD")
	defer inherited.Close()
	f, err := sys.Pollable(inherited)
	if err != nil {
		return err
	}
	c.attach(f)
	return nil
}

// openPort connects to a launcher, which is a process of this node. It tells rank and size
// after the acknowledgment: see receive.
func (c *Client) openPort(get func(string) string) error {
	_, port, _ := strings.Cut(get("PMI_PORT"), ":")
	n, err := number("PMI_PORT", port)
	if err != nil {
		return err
	}
	f, err := sys.DialTCP(netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), uint16(n)))
	if err != nil {
		return err
	}
	c.attach(f)
	_, err = c.ask("initack", "initack", "pmiid", get("PMI_ID"))
	return err
}

func (c *Client) attach(conn io.ReadWriteCloser) {
	c.conn, c.lines = conn, bufio.NewReaderSize(conn, mostLine)
}

// begin agrees on the version, and learns the name of the key-value space.
func (c *Client) begin() error {
	m, err := c.ask("init", "response_to_init", "pmi_version", "1", "pmi_subversion", "1")
	if err != nil {
		return err
	}
	if m["pmi_version"] != "1" {
		return fmt.Errorf("it speaks version %q of PMI, and not 1: with Slurm use srun --mpi=pmi2", m["pmi_version"])
	}
	if m, err = c.ask("get_maxes", "maxes"); err != nil {
		return err
	}
	if c.most, err = number("vallen_max", m["vallen_max"]); err != nil {
		return err
	}
	if m, err = c.ask("get_my_kvsname", "my_kvsname"); err != nil {
		return err
	}
	c.space = m["kvsname"]
	if c.Size < 1 || c.Rank >= c.Size {
		return fmt.Errorf("it says that this is process %d of %d", c.Rank, c.Size)
	}
	return nil
}

// Put publishes bytes under a key, from the next Fence on.
func (c *Client) Put(key string, value []byte) error {
	text := base64.RawURLEncoding.EncodeToString(value)
	if len(text) >= c.most {
		return fmt.Errorf("pmi: put %s: the value has %d characters, and the launcher takes %d",
			key, len(text), c.most-1)
	}
	_, err := c.ask("put", "put_result", "kvsname", c.space, "key", key, "value", text)
	return wrap("put "+key, err)
}

// Fence waits until all processes have called it. What was put before can be got after.
func (c *Client) Fence() error {
	_, err := c.ask("barrier_in", "barrier_out")
	return wrap("fence", err)
}

// Get returns what some process has put.
func (c *Client) Get(key string) ([]byte, error) {
	m, err := c.ask("get", "get_result", "kvsname", c.space, "key", key)
	if err != nil {
		return nil, wrap("get "+key, err)
	}
	value, err := base64.RawURLEncoding.DecodeString(m["value"])
	return value, wrap("get "+key, err)
}

// Close tells the launcher that this process may end now.
func (c *Client) Close() error {
	_, err := c.ask("finalize", "finalize_ack")
	c.conn.Close()
	return wrap("finalize", err)
}

func wrap(op string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("pmi: %s: %w", op, err)
}

// ask sends a request, and waits for its reply.
func (c *Client) ask(request, reply string, pairs ...string) (message, error) {
	line := "cmd=" + request
	for i := 0; i < len(pairs); i += 2 {
		line += " " + pairs[i] + "=" + pairs[i+1]
	}
	if _, err := io.WriteString(c.conn, line+"\n"); err != nil {
		return nil, err
	}
	return c.receive(reply)
}

// receive waits for a line of the launcher, which must be of a kind and report success. Lines of
// the kind "set", with rank and size, may come before.
func (c *Client) receive(kind string) (message, error) {
	for {
		line, err := c.lines.ReadSlice('\n')
		if err != nil {
			return nil, fmt.Errorf("wait for %s: %w", kind, err)
		}
		m := parse(string(line))
		if m["cmd"] == "set" {
			if err := c.set(m); err != nil {
				return nil, err
			}
			continue
		}
		if m["cmd"] != kind {
			return nil, fmt.Errorf("the launcher has answered %q, and not %s", line, kind)
		}
		if rc := m["rc"]; rc != "" && rc != "0" {
			return nil, fmt.Errorf("the launcher has refused: %q", line)
		}
		return m, nil
	}
}

// set notes the rank or the size.
func (c *Client) set(m message) (err error) {
	for name, to := range map[string]*int{"rank": &c.Rank, "size": &c.Size} {
		if text, ok := m[name]; ok && err == nil {
			*to, err = number(name, text)
		}
	}
	return err
}

// number parses a number of the launcher, from 0.
func number(name, text string) (int, error) {
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		return 0, fmt.Errorf("%s=%q is no number", name, text)
	}
	return int(n), nil
}
