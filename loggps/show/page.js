'use strict';
(async () => {
  const head = JSON.parse(document.getElementById('head').textContent);
  const canvas = document.getElementById('canvas'), tip = document.getElementById('tip'), hint = document.getElementById('hint');
  const said = hint.textContent;
  const text = atob(JSON.parse(document.getElementById('data').textContent));
  const packed = Uint8Array.from(text, c => c.charCodeAt(0));
  const buffer = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();

  // The columns, in the order in which they were written.
  let offset = 0;
  const take = (type, n) => {
    const a = new type(buffer, offset, n);
    offset += Math.ceil(n * type.BYTES_PER_ELEMENT / 4) * 4;
    return a;
  };
  const kinds = head.kinds.length, block = 32; // sums by kind are kept for every so many pieces
  const lines = head.timelines.map(t => {
    const n = t.lanes.reduce((a, b) => a + b, 0);
    const line = { name: t.name, lanes: [] };
    const gap = take(Uint32Array, n), len = take(Uint32Array, n), bytes = take(Uint32Array, n);
    const peer = take(Int32Array, n), site = take(Uint32Array, n), kind = take(Uint8Array, n), call = take(Uint8Array, n);
    let at = 0;
    for (const count of t.lanes) {
      const from = new Float64Array(count), to = new Float64Array(count);
      const sums = new Float64Array((Math.floor(count / block) + 1) * kinds), now = new Float64Array(kinds);
      let time = 0;
      for (let i = 0; i < count; i++) {
        if (i % block === 0) sums.set(now, i / block * kinds);
        from[i] = time += gap[at + i];
        to[i] = time += len[at + i];
        now[kind[at + i]] += len[at + i];
      }
      if (count % block === 0) sums.set(now, count / block * kinds);
      line.lanes.push({ count, from, to, sums, kind: kind.subarray(at, at + count), call: call.subarray(at, at + count), site: site.subarray(at, at + count), peer: peer.subarray(at, at + count), bytes: bytes.subarray(at, at + count) });
      at += count;
    }
    const m = t.messages, p = t.path;
    line.messages = { count: m, sent: take(Uint32Array, m), came: take(Uint32Array, m), bytes: take(Uint32Array, m), src: take(Uint16Array, m), dst: take(Uint16Array, m) };
    line.path = { count: p, from: take(Uint32Array, p), to: take(Uint32Array, p), rank: take(Uint16Array, p) };
    line.longest = 0;
    for (let i = 0; i < m; i++) line.longest = Math.max(line.longest, line.messages.came[i] - line.messages.sent[i]);
    return line;
  });
  const total = Math.max(1, head.total / head.unit);
  let left = 0, right = total; // what is seen, in units
  let messages = true, path = true;

  const spell = units => {
    const ns = units * head.unit;
    for (const [unit, name] of [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs']]) if (Math.abs(ns) >= unit) return +(ns / unit).toPrecision(5) + ' ' + name;
    return +ns.toPrecision(4) + ' ns';
  };
  // The first index whose value is above x.
  const above = (a, x, n = a.length) => {
    let lo = 0, hi = n;
    while (lo < hi) { const mid = (lo + hi) >> 1; if (a[mid] > x) hi = mid; else lo = mid + 1; }
    return lo;
  };

  const label = (lane, i) => lane.call[i] ? head.calls[lane.call[i]] : head.own ? head.kinds[lane.kind[i]] : '';

  // How the picture is laid out.
  const laneName = r => head.names ? head.names[r] : 'rank ' + r;
  const margin = () => canvas.clientWidth < 600 ? 34 : head.names ? 104 : 64, ruler = 22;
  const rowHeight = () => Math.max(lines.length * 4 + 2, Math.min(lines.length * 18 + 6, Math.floor(620 / head.ranks)));
  const laneTop = (rank, line) => ruler + rank * rowHeight() + line * (rowHeight() - 2) / lines.length;
  const laneHeight = () => Math.max(2, (rowHeight() - 2) / lines.length - 1);
  const width = () => canvas.clientWidth - margin();
  const x = t => margin() + (t - left) / (right - left) * width();
  const timeAt = px => left + (px - margin()) / width() * (right - left);

  let colours = {};
  const readColours = () => {
    const style = getComputedStyle(document.documentElement);
    for (const name of ['ink', 'soft', 'rule', 'mark', 'line', 'panel']) colours[name] = style.getPropertyValue('--' + name);
    colours.kinds = head.kinds.map((_, i) => style.getPropertyValue('--k' + i));
  };

  const drawRuler = c => {
    const rough = (right - left) * head.unit / (width() / 110);
    const ten = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map(f => f * ten).find(s => s >= rough) / head.unit;
    c.fillStyle = colours.soft; c.strokeStyle = colours.rule; c.font = '11px system-ui, sans-serif'; c.textAlign = 'center';
    for (let i = Math.ceil(left / step); i * step <= right; i++) {
      const px = x(i * step);
      c.beginPath(); c.moveTo(px, ruler - 4); c.lineTo(px, canvas.clientHeight); c.stroke();
      if (px > margin() + 20 && px < canvas.clientWidth - 24) c.fillText(spell(i * step), px, ruler - 8);
    }
    c.textAlign = 'right'; c.textBaseline = 'middle';
    const every = Math.max(1, Math.ceil(13 / rowHeight()));
    for (let r = 0; r < head.ranks; r += every) c.fillText(width() < 560 ? r : laneName(r), margin() - 6, ruler + (r + .5) * rowHeight());
    c.textBaseline = 'alphabetic';
  };

  // Time by kind in a lane before t, by the sums of the blocks.
  const before = (lane, t, into) => {
    const end = above(lane.from, t, lane.count), from = Math.floor(Math.max(end - 1, 0) / block);
    for (let k = 0; k < kinds; k++) into[k] = lane.sums[from * kinds + k];
    for (let i = from * block; i < end; i++) into[lane.kind[i]] += Math.min(lane.to[i], t) - lane.from[i];
  };

  // From afar: each column shows the shares of what happens in it.
  const drawShares = (c, lane, top, height) => {
    let a = new Float64Array(kinds), b = new Float64Array(kinds);
    before(lane, left, a);
    for (let px = 0; px < width(); px++) {
      const to = timeAt(margin() + px + 1);
      before(lane, to, b);
      let y = top;
      const span = (right - left) / width();
      for (let k = 0; k < kinds; k++) {
        const h = (b[k] - a[k]) / span * height;
        if (h > 0.02) { c.fillStyle = colours.kinds[k]; c.fillRect(margin() + px, y, 1.05, h); y += h; }
      }
      [a, b] = [b, a];
    }
  };

  // From close by: each piece.
  const drawPieces = (c, lane, top, height, first, end) => {
    for (let i = first; i < end; i++) {
      const from = Math.max(x(lane.from[i]), margin()), to = Math.min(x(lane.to[i]), canvas.clientWidth);
      c.fillStyle = colours.kinds[lane.kind[i]];
      c.fillRect(from, top, Math.max(to - from, .5), height);
      if (to - from > 4) { c.strokeStyle = colours.panel; c.strokeRect(from + .5, top + .5, to - from - 1, height - 1); }
      if (to - from > 60 && height > 11 && label(lane, i)) {
        c.fillStyle = colours.ink; c.textAlign = 'left';
        c.fillText(label(lane, i), from + 4, top + height / 2 + 4, to - from - 8);
      }
    }
  };

  const most = 1500; // messages drawn at a time
  const drawMessages = (c, line, l) => {
    const m = line.messages;
    const first = above(m.sent, left - line.longest), end = above(m.sent, right);
    const seen = [];
    for (let i = first; i < end && seen.length <= most; i++) if (m.came[i] >= left) seen.push(i);
    if (seen.length > most) return false;
    c.strokeStyle = colours.line; c.lineWidth = 1; c.globalAlpha = Math.min(1, Math.max(.12, 150 / seen.length));
    c.beginPath();
    for (const i of seen) {
      c.moveTo(x(m.sent[i]), laneTop(m.src[i], l) + laneHeight() / 2);
      c.lineTo(x(m.came[i]), laneTop(m.dst[i], l) + laneHeight() / 2);
    }
    c.stroke(); c.globalAlpha = 1;
    return true;
  };

  // Far away only the ranks that the path is on are marked, from close by also how it hops.
  const drawPath = (c, line, l) => {
    const p = line.path, first = Math.max(0, above(p.from, left) - 1), end = above(p.from, right), far = end - first > 250;
    c.strokeStyle = colours.mark; c.lineWidth = far ? Math.min(2, laneHeight()) : 2.5; c.lineJoin = 'round';
    c.beginPath();
    for (let i = first; i < end; i++) {
      const y = laneTop(p.rank[i], l) + (laneHeight() > 8 ? laneHeight() - 2 : laneHeight() / 2);
      if (i > first && !far) c.lineTo(x(p.from[i]), y); else c.moveTo(x(p.from[i]), y);
      c.lineTo(Math.max(x(p.to[i]), x(p.from[i]) + .7), y);
    }
    c.stroke(); c.lineWidth = 1;
  };

  let asked = false;
  const draw = () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => { asked = false; paint(); });
  };
  const paint = () => {
    const ratio = window.devicePixelRatio || 1, height = ruler + head.ranks * rowHeight() + 4;
    canvas.style.height = height + 'px';
    canvas.width = canvas.clientWidth * ratio; canvas.height = height * ratio;
    const c = canvas.getContext('2d');
    c.scale(ratio, ratio);
    drawRuler(c);
    c.save();
    c.beginPath(); c.rect(margin(), ruler, width(), height); c.clip();
    let pieces = 0, near = true;
    lines.forEach((line, l) => line.lanes.forEach((lane, r) => {
      const first = above(lane.to, left, lane.count), end = above(lane.from, right, lane.count);
      const top = laneTop(r, l), h = laneHeight();
      pieces += end - first;
      if (end - first > width() / 3) drawShares(c, lane, top, h); else drawPieces(c, lane, top, h, first, end);
    }));
    if (messages) lines.forEach((line, l) => { near = drawMessages(c, line, l) && near; });
    if (path) lines.forEach((line, l) => { if (line.path.count) drawPath(c, line, l); });
    c.restore();
    hint.textContent = said + (near ? '' : ' Messages are drawn when fewer than ' + most + ' are in sight: zoom in.');
    canvas.dataset.pieces = pieces; canvas.dataset.left = left; canvas.dataset.right = right;
  };

  const move = (from, to) => {
    const span = Math.min(Math.max(to - from, Math.min(total, 20)), total);
    left = Math.min(Math.max(from, 0), total - span); right = left + span;
    tip.hidden = true;
    draw();
  };
  const zoom = (factor, px = margin() + width() / 2) => {
    const t = timeAt(px);
    move(t - (t - left) * factor, t + (right - t) * factor);
  };
  const toggle = name => {
    const on = name === 'path' ? (path = !path) : (messages = !messages);
    document.getElementById(name).setAttribute('aria-pressed', on);
    draw();
  };

  canvas.addEventListener('wheel', e => {
    e.preventDefault();
    const span = right - left;
    if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) { const d = (e.deltaX || e.deltaY) / width() * span; move(left + d, right + d); }
    else zoom(Math.exp(Math.sign(e.deltaY) * Math.min(Math.abs(e.deltaY), 120) * .0022), e.offsetX);
  }, { passive: false });
  addEventListener('keydown', e => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const span = right - left;
    const keys = {
      '+': () => zoom(.6), '=': () => zoom(.6), '-': () => zoom(1 / .6), '0': () => move(0, total), Home: () => move(0, total),
      ArrowLeft: () => move(left - span / 8, right - span / 8), ArrowRight: () => move(left + span / 8, right + span / 8),
      m: () => toggle('messages'), p: () => toggle('path'),
    };
    if (keys[e.key]) { e.preventDefault(); keys[e.key](); }
  });
  for (const [id, act] of Object.entries({ in: () => zoom(.6), out: () => zoom(1 / .6), all: () => move(0, total), messages: () => toggle('messages'), path: () => toggle('path') }))
    document.getElementById(id).addEventListener('click', act);

  // Pointers: one moves, two zoom.
  const down = new Map();
  canvas.addEventListener('pointerdown', e => { down.set(e.pointerId, e.offsetX); canvas.setPointerCapture(e.pointerId); });
  for (const name of ['pointerup', 'pointercancel']) canvas.addEventListener(name, e => down.delete(e.pointerId));
  canvas.addEventListener('pointermove', e => {
    if (!down.has(e.pointerId)) return point(e);
    const was = down.get(e.pointerId);
    if (down.size === 1) { const d = timeAt(was) - timeAt(e.offsetX); move(left + d, right + d); }
    else {
      const other = [...down].find(([id]) => id !== e.pointerId)[1];
      zoom(Math.abs(was - other) / Math.max(Math.abs(e.offsetX - other), 1), other);
    }
    down.set(e.pointerId, e.offsetX);
  });
  canvas.addEventListener('pointerleave', () => { tip.hidden = true; });
  const point = e => {
    const rank = Math.floor((e.offsetY - ruler) / rowHeight());
    const l = Math.min(lines.length - 1, Math.floor((e.offsetY - ruler - rank * rowHeight()) / ((rowHeight() - 2) / lines.length)));
    const lane = rank >= 0 && rank < head.ranks && l >= 0 ? lines[l].lanes[rank] : null;
    const t = timeAt(e.offsetX);
    const i = lane ? above(lane.to, t, lane.count) : 0;
    tip.hidden = !lane || i >= lane.count || lane.from[i] > t || e.offsetX < margin();
    if (tip.hidden) return;
    const said = [laneName(rank) + ', ' + lines[l].name + ': ' + (lane.call[i] ? head.calls[lane.call[i]] + ', ' : '') + head.kinds[lane.kind[i]]];
    if (lane.peer[i] >= 0) said.push('rank ' + lane.peer[i] + ', ' + lane.bytes[i].toLocaleString('en') + ' B');
    if (lane.site[i]) said.push(head.sites[lane.site[i]]);
    said.push(spell(lane.from[i]) + ' + ' + spell(lane.to[i] - lane.from[i]));
    tip.textContent = said.join('\n');
    tip.style.left = Math.min(e.offsetX + 12, Math.max(0, canvas.clientWidth - 310)) + 'px';
    tip.style.top = e.offsetY + 16 + 'px';
  };

  readColours();
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { readColours(); draw(); });
  new ResizeObserver(draw).observe(document.getElementById('view'));
  window.timeline = { move, zoom, view: () => [left, right], total, pieces: () => +canvas.dataset.pieces };
  paint();
  document.body.dataset.ready = 'yes';
})();
