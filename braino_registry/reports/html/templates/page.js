"use strict";
(async () => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const inflate = async (text) => {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return JSON.parse(await new Response(stream).text());
  };
  // Whatever comes from an agent is set as text, never as markup.
  const el = (tag, cls, text) => {
    const node = document.createElement(tag);
    if (cls) node.className = cls;
    if (text !== undefined && text !== null) node.textContent = text;
    return node;
  };
  const add = (parent, ...nodes) => { parent.append(...nodes.filter(Boolean)); return parent; };
  const blocks = new Map();
  const block = (n) => {
    if (!blocks.has(n)) blocks.set(n, inflate(data.blocks[n]));
    return blocks.get(n);
  };

  const drawing = (text) => {
    const svg = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
    return svg.nodeName === "svg" ? document.importNode(svg, true) : el("p", "sub", "no picture");
  };
  const level = data.labels.length > 1 ? "h4" : "h3";
  const figure = (picture) => add(
    el("figure"), el(level, "", picture.title), picture.svg ? drawing(picture.svg) : null,
    el("figcaption", "", picture.caption));

  const words = (text) => { const p = el("p", "text", text); p.dir = "auto"; return p; };
  const section = (title, ...nodes) => [el(level, "", title), ...nodes];

  const checks = (rows, graded) => {
    const table = el("table", "checks"), head = el("tr"), body = el("tbody");
    for (const name of ["verdict", "check", "evidence", "expected"]) {
      const th = el("th", "", name); th.scope = "col"; head.append(th);
    }
    for (const row of rows) {
      const kind = row.kind + (row.required ? ", required" : "") + (row.weight ? ", weight " + row.weight : "");
      const part = row.score !== null && row.score !== 0 && row.score !== 1;
      const verdict = graded && row.score !== null ? "score " + row.score.toFixed(2)
        : (row.passed ? "passed" : "failed") + (part ? " " + row.score.toFixed(2) : "");
      const colour = graded ? "ok" : row.passed ? "v-pass" : "v-fail";
      const name = add(el("td"), el("div", "", row.id), el("div", "sub", kind));
      const expected = el("td");
      if (row.expected) { expected.dataset.name = "expected"; expected.append(el("span", "mono", row.expected)); }
      const evidence = el("td", "", row.evidence); evidence.dir = "auto";
      body.append(add(el("tr"),
        add(el("td"), el("span", "chip " + colour, verdict)),
        name, evidence, expected));
    }
    return add(table, add(el("thead"), head), body);
  };

  const event = (one) => {
    const item = el("li", "ev-" + one.type + (one.failed ? " failed" : ""));
    const label = one.type === "call" ? "tool" : one.type === "ask" ? "question" : one.type === "decide" ? "decision" : one.type;
    const line = [el("span", "tag", one.t === undefined ? label : label + " " + one.t + " s"),
      el("span", "mono", one.head), one.failed ? el("span", "chip no", "refused") : null];
    if (!one.parts) return add(item, ...line);
    const fold = el("details");
    fold.open = one.type === "ask" || one.type === "decide";
    add(fold, add(el("summary"), ...line));
    for (const [name, text] of one.parts) {
      const pre = el("pre", "", text); pre.dir = "auto"; pre.tabIndex = 0;
      if (name) fold.append(el("p", "part-name", name));
      fold.append(pre);
    }
    return add(item, fold);
  };

  const artifact = (one) => {
    const item = el("li", "", one.name + (one.bytes === undefined ? " (not here)" : ", " + one.bytes.toLocaleString("en") + " bytes"));
    if (one.image) {
      const image = el("img"); image.alt = "Picture handed in: " + one.name; image.src = data.images[one.image];
      item.append(add(el("figure"), image));
    }
    if (one.left_out) item.append(el("span", "sub", " – a picture, left out so that the page stays small"));
    if (one.text) item.append(el("pre", "", one.text));
    return item;
  };

  // What several reports have in common, request and recording, is shown once.
  const trial = async (told, label, seen) => {
    const box = el("div", "one");
    if (label) box.append(el("h3", "agent", label));
    if (!told) return add(box, el("p", "sub", "This report has no such trial."));
    for (const note of told.notes) box.append(add(el("p", "warn"), document.createTextNode(note)));
    if (told.request && !seen.has(told.request)) add(box, ...section("Request", words(told.request)));
    seen.add(told.request);
    if (told.answer || (told.answer !== null && !told.data)) add(box, ...section("Answer", words(told.answer || "(empty)")));
    if (told.data) {
      const pre = el("pre", "", told.data); pre.tabIndex = 0;
      add(box, ...section("Answer, data", pre));
    }
    for (const text of told.refused) box.append(el("p", "warn", "Not taken: " + text));
    if (told.checks.length) add(box, ...section("Checks", checks(told.checks, told.graded)));
    for (const key of told.pictures) {
      if (seen.has(key)) continue;
      seen.add(key);
      for (const picture of await inflate(data.pictures[key])) box.append(figure(picture));
    }
    if (told.events.length) add(box, ...section("Conversation", add(el("ol", "talk"), ...told.events.map(event))));
    if (told.artifacts.length) add(box, ...section("Files handed in", add(el("ul"), ...told.artifacts.map(artifact))));
    const used = Object.entries(told.usage).map(([k, v]) => k.replaceAll("_", " ") + " " + v);
    if (used.length) add(box, el("p", "sub", "Used: " + used.join(", ") + "."));
    return box;
  };

  const fill = async (details) => {
    if (details.dataset.filled) return;
    details.dataset.filled = "1";
    const n = Number(details.dataset.n), size = data.size;
    const cells = (await block(Math.floor(n / size)))[n % size];
    const body = el("div", "body"), seen = new Set();
    for (let i = 0; i < cells.length; i++) {
      body.append(await trial(cells[i], data.labels.length > 1 ? data.labels[i] : "", seen));
    }
    details.append(body);
    // What scrolls can be reached by keyboard.
    body.querySelectorAll(".text").forEach((node) => {
      if (node.scrollHeight > node.clientHeight) node.tabIndex = 0;
    });
  };

  const rows = [...document.querySelectorAll("details.trial")];
  for (const row of rows) row.addEventListener("toggle", () => { if (row.open) fill(row); });

  const form = document.getElementById("filters"), box = document.getElementById("q");
  const selects = [...form.querySelectorAll("select")];
  const count = document.getElementById("count"), nothing = document.getElementById("nothing");
  let texts = null;
  const apply = async () => {
    const q = box.value.trim().toLowerCase();
    if (q && texts === null) texts = await inflate(data.texts);
    const parts = q.split(/\s+/).filter(Boolean);
    const wanted = selects.filter((s) => s.value).map((s) => [s.dataset.key, s.value]);
    let shown = 0;
    rows.forEach((row, n) => {
      const fits = wanted.every(([key, value]) => row.dataset[key].split("|").includes(value))
        && parts.every((part) => texts[n].includes(part));
      row.hidden = !fits;
      if (fits) shown += 1;
    });
    count.textContent = shown === rows.length ? rows.length + " trials" : shown + " of " + rows.length + " trials";
    nothing.hidden = shown > 0;
  };
  form.addEventListener("input", apply);
  form.addEventListener("submit", (e) => e.preventDefault());
  form.addEventListener("reset", () => setTimeout(apply));
  document.getElementById("open-all").addEventListener("click", () => {
    rows.filter((row) => !row.hidden).slice(0, 100).forEach((row) => { row.open = true; });
  });
  document.querySelectorAll("button[data-task]").forEach((button) => button.addEventListener("click", () => {
    form.reset(); box.value = button.dataset.task;
    apply().then(() => document.getElementById("trials").scrollIntoView());
  }));
  document.addEventListener("keydown", (e) => {
    if (e.key === "/" && !/INPUT|SELECT|TEXTAREA/.test(e.target.tagName)) { e.preventDefault(); box.focus(); }
  });
  const linked = () => {
    const row = /^#t\d+$/.test(location.hash) && document.getElementById(location.hash.slice(1));
    if (row) { row.open = true; row.scrollIntoView(); }
  };
  addEventListener("hashchange", linked);
  linked();
  document.documentElement.dataset.ready = "1";
})();
