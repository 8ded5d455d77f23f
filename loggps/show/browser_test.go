package show

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// dump opens a page in a browser without a display and returns what its scripts have made of
// it. The console must stay empty.
func dump(t *testing.T, page string, flags ...string) []byte {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("no browser to look at the page with (Debian: apt-get install chromium)")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	args := append([]string{
		"--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
		"--disable-component-update",
		"--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars", "--host-resolver-rules=MAP * ~NOTFOUND",
		"--enable-logging=stderr",
		"--user-data-dir=" + t.TempDir(), "--window-size=1300,900", "--virtual-time-budget=60000", "--dump-dom",
	}, flags...)
	cmd := exec.CommandContext(ctx, path, append(args, "file://"+page)...)
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

// seen is what the script of probe finds.
type seen struct {
	Width, Scroll int // of the window, and of the page
	Colours       int // in the picture
	Ground        string
	Whole         int    // pieces when all is shown
	Near, Span    int    // pieces after zooming in, and what is seen then, of a million
	Keys, Dragged bool   // keys and the pointer have an effect
	Back          bool   // key 0 shows all again
	Tip           string // at the middle of the first lane
	Bars, Tables  int
	Broken        string // a word in a table that does not fit into its column
	Loaded        int    // things loaded besides the page
}

// probe is a page that shows another in a frame, uses it, and writes what it finds.
const probe = `<!DOCTYPE html><script>
function broken(cell) {
  const page = cell.ownerDocument, texts = page.createTreeWalker(cell, NodeFilter.SHOW_TEXT), words = [];
  while (texts.nextNode()) {
    const text = texts.currentNode;
    for (const word of text.data.matchAll(/[^\s-]+/g)) {
      const range = page.createRange();
      range.setStart(text, word.index);
      range.setEnd(text, word.index + word[0].length);
      if (new Set([...range.getClientRects()].map(r => Math.round(r.top))).size > 1) words.push(word[0]);
    }
  }
  return words;
}
async function use(frame) {
  const view = frame.contentWindow, page = view.document, turn = () => {
    // The time of the browser passes at once when it has nothing to do; unpacking takes some of the real one.
    let busy = 0;
    for (let i = 0; i < 3e6; i++) busy = (busy * 31 + i) | 0;
    return new Promise(done => setTimeout(done, 1, busy));
  };
  while (!page.body.dataset.ready) await turn();
  const canvas = page.getElementById('canvas'), tip = page.getElementById('tip'), line = view.timeline;
  const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data, colours = new Set();
  for (let i = 0; i < pixels.length; i += 4 * 7) colours.add(pixels[i] << 16 | pixels[i + 1] << 8 | pixels[i + 2]);
  const found = {
    Width: view.innerWidth, Scroll: page.documentElement.scrollWidth, Colours: colours.size, Whole: line.pieces(),
    Ground: view.getComputedStyle(page.body).backgroundColor,
    Bars: page.querySelectorAll('.row .track i').length,
    Tables: page.querySelectorAll('table tbody tr').length,
    Broken: [...page.querySelectorAll('th, td')].flatMap(broken)[0] ?? '',
    Loaded: view.performance.getEntriesByType('resource').length,
  };
  const box = canvas.getBoundingClientRect(), x = box.left + box.width / 2, y = box.top + 26;
  const send = (kind, type, more) => canvas.dispatchEvent(new view[kind](type,
    { bubbles: true, clientX: x, clientY: y, pointerId: 1, ...more }));
  send('PointerEvent', 'pointermove', {});
  found.Tip = tip.hidden ? '' : tip.textContent;
  canvas.setPointerCapture = () => {};
  for (let i = 0; i < 30; i++) send('WheelEvent', 'wheel', { deltaY: -120 });
  let frames = 0; // the second comes after what the first has painted
  const count = () => { if (++frames < 2) view.requestAnimationFrame(count); };
  view.requestAnimationFrame(count);
  while (frames < 2) await turn();
  let [left, right] = line.view();
  found.Near = line.pieces();
  found.Span = Math.round(1e6 * (right - left) / line.total);
  const key = name => page.body.dispatchEvent(new view.KeyboardEvent('keydown', { key: name, bubbles: true }));
  key('ArrowRight');
  found.Keys = line.view()[0] > left;
  left = line.view()[0];
  send('PointerEvent', 'pointerdown', {});
  send('PointerEvent', 'pointermove', { clientX: x - 50 });
  send('PointerEvent', 'pointerup', {});
  found.Dragged = line.view()[0] > left;
  key('0');
  found.Back = line.view()[0] === 0 && line.view()[1] === line.total;
  const out = document.createElement('pre');
  out.id = 'found';
  out.textContent = JSON.stringify(found);
  document.body.append(out);
}
</script><body><iframe style="border: 0" width="%d" height="850" onload="use(this)" srcdoc="%s"></iframe>`

var foundElement = regexp.MustCompile(`(?s)<pre id="found">(.*?)</pre>`)

func look(t *testing.T, page *Page, width int, flags ...string) seen {
	t.Helper()
	var text bytes.Buffer
	require.NoError(t, page.Write(&text))
	file := filepath.Join(t.TempDir(), "frame.html")
	require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, probe, width, html.EscapeString(text.String())), 0o600))
	found := foundElement.FindSubmatch(dump(t, file, flags...))
	require.NotNil(t, found, "the script has not run")
	var s seen
	require.NoError(t, json.Unmarshal([]byte(html.UnescapeString(string(found[1]))), &s))
	return s
}

// The page works in a browser, in light and dark, on a desk and on a phone.
func TestPageInBrowser(t *testing.T) {
	_, p, page := program(t, 4, 20)
	grounds := map[string]bool{}
	dark := "--blink-settings=preferredColorScheme=0"
	for width, flags := range map[int][]string{1366: nil, 2560: {dark}, 390: {dark}} {
		s := look(t, page, width, flags...)
		require.Empty(t, s.Broken, "%d pixels wide: a column is narrower than its longest word", width)
		require.Equal(t, width, s.Width)
		require.LessOrEqual(t, s.Scroll, s.Width, "the page must not scroll sideways")
		require.Greater(t, s.Colours, 5)
		require.Zero(t, s.Loaded)
		pieces := 0
		for _, lane := range p.Lanes {
			pieces += 2 * len(lane)
		}
		require.Equal(t, pieces, s.Whole)
		require.Less(t, s.Near, pieces/4)
		require.Less(t, s.Span, 10_000)
		require.True(t, s.Keys && s.Dragged && s.Back, "%+v", s)
		require.Contains(t, s.Tip, "rank 0, measured: ")
		require.Greater(t, s.Bars, 32)
		require.Greater(t, s.Tables, 8)
		grounds[s.Ground] = true
	}
	require.Len(t, grounds, 2, "light and dark")
}

// A million pieces of 64 ranks.
func TestLargePageInBrowser(t *testing.T) {
	_, _, page := program(t, 8, 900)
	s := look(t, page, 1200)
	require.Greater(t, s.Whole, 1_000_000)
	require.Less(t, s.Near, 50_000)
	require.True(t, s.Back)
}
