package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func main() {
	out := flag.String("o", "dist", "the `folder` that the release is written to")
	archs := flag.String("arch", "amd64,arm64", "the `architectures`")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "release: %q: only flags are expected: -o FOLDER, -arch LIST\n", flag.Arg(0))
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := release(ctx, *out, strings.Split(*archs, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// A build is what the release of one commit is made of.
type build struct {
	version string // of the tag, or with commits since and the commit
	commit  string
	at      time.Time // of the commit, which all files have
	out     string
	work    string // a folder for what is not released
}

// release makes the release for some architectures.
func release(ctx context.Context, out string, archs []string) error {
	for _, arch := range archs {
		if _, known := targets[arch]; !known {
			return fmt.Errorf("architecture %q: there are amd64 and arm64", arch)
		}
	}
	b, err := newBuild(ctx, out)
	if err != nil {
		return err
	}
	defer os.RemoveAll(b.work)
	fmt.Printf("gopvas %s of %s\n", b.version, b.at.Format(time.RFC3339))
	for _, arch := range archs {
		if err := b.make(ctx, targets[arch]); err != nil {
			return fmt.Errorf("%s: %w", arch, err)
		}
	}
	if err := b.sbom(ctx); err != nil {
		return err
	}
	return b.sums()
}

func newBuild(ctx context.Context, out string) (b *build, err error) {
	b = &build{}
	if b.commit, err = output(ctx, "git", "rev-parse", "--short=9", "HEAD"); err != nil {
		return nil, err
	}
	if b.version, err = versionOf(ctx, b.commit); err != nil {
		return nil, err
	}
	seconds, err := output(ctx, "git", "log", "-1", "--format=%ct")
	if err != nil {
		return nil, err
	}
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return nil, err
	}
	b.at = time.Unix(n, 0).UTC()
	if b.out, err = filepath.Abs(out); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(b.out, 0o755); err != nil {
		return nil, err
	}
	b.work, err = os.MkdirTemp("", "gopvas-release-")
	return b, err
}

// versionOf is that of the tag of this commit, or one behind that of the last tag, with the number of commits since.
func versionOf(ctx context.Context, commit string) (string, error) {
	changed, err := output(ctx, "git", "status", "--porcelain", "--untracked-files=no")
	if err != nil || changed != "" {
		return "", cmp.Or(err, errors.New("the sources are not those of a commit: commit them"))
	}
	text, err := output(ctx, "git", "describe", "--tags", "--long", "--match", "v[0-9]*")
	if err != nil { // there is no tag
		count, err := output(ctx, "git", "rev-list", "--count", "HEAD")
		if err != nil {
			return "", err
		}
		text = "v0.0.0-" + count + "-g" + commit
	}
	return parseDescription(text)
}

var description = regexp.MustCompile(`^v([0-9][0-9.]*)-([0-9]+)-(g[0-9a-f]+)$`)

// parseDescription turns "v1.2.0-7-gabcdef012" into 1.2.0+7.gabcdef012, and "v1.2.0-0-gabcdef012" into 1.2.0.
func parseDescription(text string) (string, error) {
	m := description.FindStringSubmatch(text)
	switch {
	case m == nil:
		return "", fmt.Errorf("git describes this commit as %q: a tag of a release is such as v1.2.0", text)
	case m[2] == "0":
		return m[1], nil
	}
	return m[1] + "+" + m[2] + "." + m[3], nil
}

// make makes the files of one architecture.
func (b *build) make(ctx context.Context, t target) error {
	root, err := t.sysroot(ctx, b.work)
	if err != nil {
		return err
	}
	tree := filepath.Join(b.work, t.arch, "gopvas-"+b.version)
	if err := b.tree(ctx, t, root, tree); err != nil {
		return err
	}
	if err := checkSymbols(tree, oldestGlibc); err != nil {
		return err
	}
	tarball := filepath.Join(b.out, fmt.Sprintf("gopvas-%s-linux-%s.tar.gz", b.version, t.arch))
	if err := writeTarball(tarball, tree, b.at); err != nil {
		return err
	}
	return b.packages(ctx, t, tree)
}

// sbom lists the modules that are inside.
func (b *build) sbom(ctx context.Context) error {
	const tool = "github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.9.0"
	file := filepath.Join(b.out, "gopvas-"+b.version+".sbom.json")
	err := run(ctx, nil, "go", "run", tool, "mod", "-json", "-noserial", "-licenses=false", "-output", file)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	at := fmt.Appendf(nil, `"timestamp": %q`, b.at.Format(time.RFC3339))
	return os.WriteFile(file, timestamp.ReplaceAllLiteral(text, at), 0o644)
}

// timestamp is the time at which the list was made.
var timestamp = regexp.MustCompile(`"timestamp": "[^"]*"`)

// sums writes the checksums of all files.
func (b *build) sums() error {
	files, err := filepath.Glob(filepath.Join(b.out, "gopvas*"+b.version+"*"))
	if err != nil {
		return err
	}
	slices.Sort(files)
	var text bytes.Buffer
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		fmt.Fprintf(&text, "%x  %s\n", sha256.Sum256(content), filepath.Base(file))
		fmt.Printf("%6.1f MB  %s\n", float64(len(content))/1e6, filepath.Base(file))
	}
	return os.WriteFile(filepath.Join(b.out, "SHA256SUMS"), text.Bytes(), 0o644)
}

// output is the first line that a command prints.
func output(ctx context.Context, name string, args ...string) (string, error) {
	var said bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, said.Bytes())
	}
	line, _, _ := strings.Cut(string(out), "\n")
	return line, nil
}

// run runs a command with variables more than those of this process. What it prints is shown if it fails.
func run(ctx context.Context, env []string, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, out)
	}
	return nil
}
