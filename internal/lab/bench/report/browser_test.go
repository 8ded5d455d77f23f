package report

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// browser is the path of a chromium, which can show a page without a display.
func browser(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("no browser to look at the page with (Debian: apt-get install chromium)")
	return ""
}

// open opens a page in a window of that size and returns what the browser prints. The
// page must leave nothing on the console, where what cannot be loaded is reported too.
func open(t *testing.T, page string, width, height int, flags ...string) []byte {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	args := append([]string{
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars",
		"--host-resolver-rules=MAP * ~NOTFOUND", "--enable-logging=stderr", "--user-data-dir=" + t.TempDir(),
		"--window-size=" + strconv.Itoa(width) + "," + strconv.Itoa(height),
	}, flags...)
	cmd := exec.CommandContext(ctx, browser(t), append(args, "file://"+page)...)
	cmd.WaitDelay = 10 * time.Second
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, "%s", stderr.String())
	for line := range strings.Lines(stderr.String()) {
		if !strings.Contains(line, "chrome://") { // the browser's own page: without a network it says so
			require.NotContains(t, line, "CONSOLE")
		}
	}
	return out
}

// measured is what probe finds in the browser.
type measured struct {
	Width, Scroll    int // of the window, and of the page
	Figures, Plotted int // and those whose plot has a height, and curves in colour
	Outside          int // texts that are not within their plot
	Tables, Ratios   int // figures whose table can be seen, and those that have ratios in it
	Cut              int // tables that do not fit and do not say so
	Holes            int // rows of figures that end before the page does
	Ground           string
	Loaded           int // things that were loaded besides the page
}

// probed is a page that shows another in a frame of some width, as windows have a least
// width, and writes what it measures there into an element of its own.
const probed = `<!DOCTYPE html><script>
function measure(frame) {
  const view = frame.contentWindow, page = view.document;
  const figures = [...page.querySelectorAll('figure')];
  const plotted = figures.filter(f => {
    const svg = f.querySelector('svg'), dot = f.querySelector('svg circle');
    return svg.getBoundingClientRect().height > 100 && dot && !
      ['none', 'rgb(0, 0, 0)'].includes(view.getComputedStyle(dot).fill);
  });
  const outside = figures.flatMap(f => [...f.querySelectorAll('svg text')].filter(t => {
    const a = t.getBoundingClientRect(), b = f.querySelector('svg').getBoundingClientRect();
    return a.left < b.left - 1 || a.right > b.right + 1 || a.top < b.top - 1 || a.bottom > b.bottom + 1;
  }));
  const tables = figures.filter(f => f.querySelector('tbody td')?.getBoundingClientRect().height > 10);
  const ratios = tables.filter(f =>
    [...f.querySelectorAll('td small')].some(s => /^(≈ )?[0-9.,]+×$/.test(s.textContent)));
  const cut = figures.filter(f => {
    const s = f.querySelector('.scroll');
    return s.scrollWidth > s.clientWidth && !(f.querySelector('.hint')?.getBoundingClientRect().height > 0);
  });
  const holes = [...page.querySelectorAll('.figures')].filter(list =>
    list.lastElementChild &&
      list.lastElementChild.getBoundingClientRect().right < list.getBoundingClientRect().right - 1);
  const out = document.createElement('pre');
  out.id = 'measured';
  out.textContent = JSON.stringify({
    Width: view.innerWidth, Scroll: page.documentElement.scrollWidth, Figures: figures.length, Plotted: plotted.length,
    Outside: outside.length, Tables: tables.length, Ratios: ratios.length, Cut: cut.length,
    Holes: holes.length, Ground: view.getComputedStyle(page.body).backgroundColor,
    Loaded: view.performance.getEntriesByType('resource').length,
  });
  document.body.append(out);
}
</script><body><iframe style="border: 0" width="%d" height="900" onload="measure(this)" srcdoc="%s"></iframe>`

var measuredElement = regexp.MustCompile(`(?s)<pre id="measured">(.*?)</pre>`)

// A browser draws every plot, in light and dark, on a desk and on a phone, where the
// page is no wider than the window.
func TestPageInBrowser(t *testing.T) {
	browser(t)
	var page bytes.Buffer
	require.NoError(t, Page(&page, sampleRun(t)))
	dir := t.TempDir()
	file, frame := filepath.Join(dir, "page.html"), filepath.Join(dir, "frame.html")
	require.NoError(t, os.WriteFile(file, page.Bytes(), 0o666))

	dark := "--blink-settings=preferredColorScheme=0"
	grounds := map[string]bool{}
	for _, c := range []struct {
		width int
		flags []string
	}{{1200, nil}, {1200, []string{dark}}, {1000, nil}, {390, nil}, {390, []string{dark}}} {
		text := fmt.Sprintf(probed, c.width, html.EscapeString(page.String()))
		require.NoError(t, os.WriteFile(frame, []byte(text), 0o666))
		dom := open(t, frame, 1300, 900, append(c.flags, "--dump-dom")...)
		found := measuredElement.FindSubmatch(dom)
		require.NotNil(t, found, "the script has not run: %.500s", dom)
		var m measured
		require.NoError(t, json.Unmarshal([]byte(html.UnescapeString(string(found[1]))), &m))
		require.Equal(t, c.width, m.Width)
		require.LessOrEqual(t, m.Scroll, m.Width, "the page must not scroll sideways")
		require.Greater(t, m.Figures, 5)
		require.Equal(t, m.Figures, m.Plotted)
		require.Zero(t, m.Outside)
		require.Zero(t, m.Cut, "what does not fit says so")
		require.Zero(t, m.Holes)
		require.Equal(t, m.Figures, m.Tables)
		require.Equal(t, strings.Count(page.String(), "×: ratio of"), m.Ratios)
		require.Greater(t, m.Ratios, 5)
		require.Zero(t, m.Loaded)
		grounds[m.Ground] = true
	}
	require.Len(t, grounds, 2, "light and dark")

	shot := filepath.Join(dir, "page.png")
	open(t, file, 800, 1600, "--screenshot="+shot)
	require.Greater(t, coloursOf(picture(t, shot)), 20)
}

// coloursOf counts the colours of a picture.
func coloursOf(img image.Image) int {
	seen := map[[4]uint32]bool{}
	for y := img.Bounds().Min.Y; y < img.Bounds().Max.Y; y += 2 {
		for x := img.Bounds().Min.X; x < img.Bounds().Max.X; x++ {
			r, g, b, a := img.At(x, y).RGBA()
			seen[[4]uint32{r, g, b, a}] = true
		}
	}
	return len(seen)
}

func picture(t *testing.T, name string) image.Image {
	t.Helper()
	f, err := os.Open(name)
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	img, err := png.Decode(f)
	require.NoError(t, err)
	return img
}
