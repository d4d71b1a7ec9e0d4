
"use strict";
// All text of the code under test goes through `put`, as text nodes; nothing here makes markup out of strings.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const form = document.getElementById("filters");
  if (!form) return;
  const BATCH = 50, CHUNK = 80, WIDEST = 300, BEFORE = 80;
  const SIGNS = {
    survived: "\u00d7", "not-infected": "\u25d0", "not-reached": "\u25cb", unknown: "?", invalid: "!",
    killed: "\u2713", timeout: "\u2261", ignored: "\u2013",
  };
  const GRAVEST = Object.keys(SIGNS);
  const HIDDEN = /(?![\t\n ])[\p{C}\p{Z}]/u;
  const HIDDEN_ALL = /((?![\t\n ])[\p{C}\p{Z}])/u;

  // ---- making elements

  function put(parent, text) {
    if (!HIDDEN.test(text)) {
      parent.append(text);
      return parent;
    }
    text.split(HIDDEN_ALL).forEach((part, index) => {
      if (index % 2) parent.append(make("span.hidden-sign", escaped(part)));
      else if (part) parent.append(part);
    });
    return parent;
  }

  function escaped(sign) {
    const point = sign.codePointAt(0), digits = point.toString(16);
    if (sign === "\r") return "\\r";
    return point < 256 ? "\\x" + digits.padStart(2, "0") : point < 65536 ? "\\u" + digits.padStart(4, "0") : "\\U" + digits.padStart(8, "0");
  }

  function make(what, ...children) {
    const [tag, ...classes] = what.split(".");
    const element = document.createElement(tag);
    if (classes.length) element.className = classes.join(" ");
    for (const child of children.flat(Infinity)) {
      if (child === null || child === undefined || child === false) continue;
      if (typeof child === "object") element.append(child);
      else put(element, String(child));
    }
    return element;
  }

  function plural(count, noun) {
    return count + " " + noun + (count === 1 ? "" : "s");
  }

  function words(verdict) {
    return verdict.replace("-", " ");
  }

  function sign(verdict) {
    const element = make("span", SIGNS[verdict]);
    element.setAttribute("aria-hidden", "true");
    return element;
  }

  function badge(verdict) {
    return make("span.badge." + verdict, sign(verdict), " " + words(verdict));
  }

  // text with `code` in it, as our own sentences spell it
  function prose(what, text) {
    const parts = text.split("`");
    return make(what, parts.map((part, index) => index % 2 && index < parts.length - 1 ? make("code", part) : (index % 2 ? "`" : "") + part));
  }

  // JavaScript counts the halves of characters, the columns count characters
  function points(text) {
    return /[\ud800-\udfff]/.test(text) ? Array.from(text) : text;
  }

  function between(text, start, end) {
    const cut = points(text).slice(start, end);
    return typeof cut === "string" ? cut : cut.join("");
  }

  // ---- what the data holds

  const mutantsOf = data.places.map(() => []);
  data.mutants.forEach((mutant, number) => { mutant.number = number; mutantsOf[mutant.place].push(mutant); });
  const numberOf = new Map(data.mutants.map((mutant, number) => [mutant.id, number]));
  const fileOf = new Map();
  data.files.forEach((file, number) => file.places.forEach((place) => fileOf.set(place, number)));
  const gapsOf = data.places.map(() => []);
  data.gaps.forEach((gap) => gapsOf[data.mutants[gap.mutants[0]].place].push(gap));

  function lineOf(file, number) {
    if (file.whole) return file.lines[number - 1] ?? "";
    file.byNumber ??= new Map(file.lines);
    return file.byNumber.get(number) ?? "";
  }

  function test(number) {
    return number === null ? "" : data.tests[number];
  }

  function shortTest(id) {
    const bracket = id.indexOf("[");
    const plain = bracket < 0 ? id : id.slice(0, bracket);
    return plain.slice(plain.lastIndexOf("::") + (plain.includes("::") ? 2 : 1)) + (bracket < 0 ? "" : id.slice(bracket));
  }

  // a long name may be broken behind its underscores
  function breakable(name) {
    return name.split(/(?<=_)/).flatMap((part, index) => index ? [document.createElement("wbr"), part] : [part]);
  }

  // ---- filters, kept in the address

  let filters = {verdict: [], rule: "", file: "", changed: false};

  function readAddress() {
    const found = {verdict: [], rule: "", file: "", changed: false, target: ""};
    for (const part of location.hash.slice(1).split("&")) {
      let [name, value = ""] = part.split("=", 2);
      try { value = decodeURIComponent(value); } catch { continue; }
      if (name === "verdict") found.verdict = value.split(",").filter((one) => one in SIGNS);
      else if (name === "rule" && value in data.rules) found.rule = value;
      else if (name === "file" && data.files.some((file) => file.path === value)) found.file = value;
      else if (name === "changed") found.changed = data.changesKnown;
      else if (/^(mutant|file)-/.test(name)) found.target = name;
    }
    return found;
  }

  function writeAddress(target) {
    const parts = target ? [target] : [];
    if (filters.verdict.length) parts.push("verdict=" + filters.verdict.join(","));
    if (filters.rule) parts.push("rule=" + filters.rule);
    if (filters.file) parts.push("file=" + encodeURIComponent(wellFormed(filters.file)));
    if (filters.changed) parts.push("changed=1");
    history.replaceState(null, "", "#" + parts.join("&"));
  }

  function wellFormed(text) {
    return text.toWellFormed ? text.toWellFormed() : text;
  }

  function passes(mutant) {
    return (!filters.verdict.length || filters.verdict.includes(mutant.verdict))
      && (!filters.rule || mutant.rule === filters.rule)
      && (!filters.file || data.places[mutant.place].path === filters.file)
      && (!filters.changed || mutant.changed);
  }

  function showForm() {
    for (const box of form.querySelectorAll("[name=verdict]")) box.checked = filters.verdict.includes(box.value);
    form.elements.rule.value = filters.rule;
    form.elements.file.value = filters.file;
    if (form.elements.changed) form.elements.changed.checked = filters.changed;
  }

  function readForm() {
    filters = {
      verdict: [...form.querySelectorAll("[name=verdict]:checked")].map((box) => box.value),
      rule: form.elements.rule.value,
      file: form.elements.file.value,
      changed: Boolean(form.elements.changed?.checked),
    };
  }

  function fillForm() {
    for (const [code, name] of Object.entries(data.rules)) {
      form.elements.rule.append(Object.assign(make("option", code + " " + name), {value: code}));
    }
    for (const file of data.files) form.elements.file.append(Object.assign(make("option", file.path), {value: file.path}));
    form.hidden = false;
  }

  // ---- the parts of a card

  function numberLine(line) {
    const posts = line.posts.map((post) => {
      const state = (post.near ? "" : ".far") + (post.tests ? "" : ".vacant") + (post.wanted ? ".wanted" : "");
      const dot = make("span.dot", post.near && post.tests ? String(post.tests) : post.wanted ? "!" : "");
      dot.setAttribute("aria-hidden", "true");
      const where = {below: post.near ? "just below" : "nearest below", at: "exactly at", above: post.near ? "just above" : "nearest above"};
      const value = make("span.value", post.value);
      value.title = post.value;
      return make("li" + state, value, dot, make("span.where", where[post.side]),
        make("span.tests", post.tests ? plural(post.tests, "test") : post.wanted ? "no test: add one" : "no test"),
        post.gives === null ? null : make("span.where", "gives ", make("code", post.gives ? "True" : "False")),
        post.test === null ? null : make("span.test", breakable(shortTest(test(post.test)))));
    });
    const caption = make("figcaption", "Where tests stand: ", make("code", line.name), " around ", make("code", line.threshold));
    return make("figure.line", caption, make("ol.posts", posts));
  }

  function question(asked) {
    return make("div.question", make("p.label", "A decision for a person"), prose("p", asked.ask + " " + asked.now),
      make("ol", asked.answers.map((answer) => make("li", prose("span", answer.do), answer.text ? [": ", make("code", answer.text)] : null))));
  }

  function sketch(sketched) {
    const where = sketched.path ? "beside its neighbor in " + sketched.path : "in a new test file";
    return make("div.sketch", make("p.label", "A test to start from, not run, " + where), make("pre", make("code", sketched.text)));
  }

  function help(gap) {
    return [
      prose("p.do", gap.do),
      gap.input === null ? null : make("p", "An input that it changes: ", make("code", gap.input)),
      gap.question && question(gap.question),
      gap.sketch && sketch(gap.sketch),
    ];
  }

  function diffLine(kind, text, before, after, inside) {
    const all = points(text), end = all.length - after;
    const cutFront = before > BEFORE && all.length > WIDEST ? before - BEFORE : 0;
    const last = Math.min(all.length, Math.max(cutFront + WIDEST, 0));
    const row = make("div." + kind);
    const mark = make("span.sign", kind === "minus" ? "\u2212" : "+");
    mark.setAttribute("aria-label", kind === "minus" ? "without:" : "with:");
    mark.setAttribute("role", "img");
    row.append(mark, make("code", cutFront ? "\u2026" : "", between(text, cutFront, Math.min(before, last)),
      make(inside, between(text, before, Math.min(end, last))), between(text, end, last), last < all.length ? "\u2026" : ""));
    return row;
  }

  function diff(mutant) {
    const [startLine, startColumn, endLine, endColumn] = mutant.span;
    const file = data.files[fileOf.get(mutant.place)];
    const old = [];
    for (let number = startLine; number <= endLine; number++) old.push(lineOf(file, number));
    const front = between(old[0], 0, startColumn - 1);
    const tail = between(old[old.length - 1], endColumn - 1);
    const fresh = (front + mutant.replacement + tail).split("\n");
    const rows = (kind, lines, inside) => lines.map((line, index) => diffLine(kind, line,
      index ? 0 : startColumn - 1, index === lines.length - 1 ? points(tail).length : 0, inside));
    return make("div.diff", rows("minus", old, "del"), rows("plus", fresh, "ins"));
  }

  function testList(label, count, tests) {
    const more = count - tests.length;
    return make("details", make("summary", label + " " + plural(count, "test")),
      make("ul", tests.map((number) => make("li", make("code", test(number)))), more > 0 ? make("li.soft", "and " + more + " more") : null));
  }

  function mutantCard(mutant, isTarget) {
    const link = make("a", mutant.id);
    link.href = "#mutant-" + mutant.id;
    link.setAttribute("aria-label", (isTarget ? "Permalink to " : "In its source: ") + mutant.id);
    const kill = mutant.kill;
    const weak = kill?.kind === "crash" ? " (weaker evidence than an assertion)" : "";
    const card = make("article.mutant",
      make("div.head", badge(mutant.verdict), make("span.soft", mutant.rule + " " + (data.rules[mutant.rule] ?? "")),
        mutant.confirmed ? make("span.soft", "confirmed") : null, mutant.remarks.map((remark) => make("span.remark", remark)), make("span.id.mono", link)),
      diff(mutant),
      kill ? make("p.why", "Killed by ", kill.test ? make("code", kill.test) : "no single test", ", " + kill.kind + weak) : null,
      mutant.reason ? make("p.why.soft", mutant.reason) : null,
      kill?.message ? make("details", make("summary", "What the test said"), make("pre.message", make("code", kill.message))) : null,
      mutant.alike === null ? null : make("p.why", "Behaves like ", data.mutants[mutant.alike].id, " in every evaluation"),
      mutant.reached ? testList("Reached by", mutant.reached, mutant.reachedBy) : null,
      mutant.infected ? testList("Makes a difference in", mutant.infected, mutant.infectedBy) : null);
    card.setAttribute("aria-label", words(mutant.verdict) + " " + mutant.id);
    if (isTarget) {
      card.id = "mutant-" + mutant.id;
      card.tabIndex = -1;
    }
    return card;
  }

  function mutantList(mutants, isTarget) {
    return make("div", make("h3", plural(mutants.length, "mutant")), make("ul.mutants", mutants.map((mutant) => make("li", mutantCard(mutant, isTarget)))));
  }

  function evidence(place) {
    return [
      place.lines.map(numberLine),
      place.seen.length && !place.lines.length ? make("div.seen", make("h3", "Values that tests brought"),
        make("ul", place.seen.map(([value, by]) => make("li", make("code", value), make("span.soft", by === null ? "" : " " + shortTest(test(by))))))) : null,
    ];
  }

  // ---- lists that grow on demand

  function showList(target, items, render, empty) {
    target.replaceChildren();
    let shown = 0;
    const button = make("button.more");
    button.type = "button";
    const grow = () => {
      const first = items.slice(shown, shown + BATCH).map(render);
      shown += first.length;
      button.before(...first);
      button.hidden = shown >= items.length;
      const left = items.length - shown;
      button.textContent = left > BATCH ? "Show " + BATCH + " of " + left + " more" : "Show the other " + left;
      return first[0];
    };
    button.addEventListener("click", () => grow()?.querySelector("summary, a")?.focus());
    target.append(button);
    if (items.length) grow();
    else target.replaceChildren(make("p.empty", empty));
  }

  function lazy(details, fill) {
    details.addEventListener("toggle", () => { if (details.open) details.fill(); });
    details.fill = () => {
      if (details.filled) return;
      details.filled = true;
      fill();
    };
  }

  function gapRow(gap) {
    const mutants = gap.mutants.map((number) => data.mutants[number]);
    const lead = mutants[0], place = data.places[lead.place];
    const short = (text) => {
      const flat = text.replace(/\s*\n\s*/g, " ");
      return flat.length > 90 ? between(flat, 0, 87) + "..." : flat;
    };
    const source = make("code", short(lead.original));
    const more = mutants.length > 1 ? make("span.soft", " and " + (mutants.length - 1) + " more") : null;
    const change = make("span", source, make("span.soft", " \u2192 "), make("code", short(lead.replacement)), more);
    const where = place.path + ":" + place.span[0] + " \u00b7 " + (data.rules[lead.rule] ?? lead.rule) + (place.scope ? " \u00b7 in " + place.scope : "");
    const row = make("details.gap", make("summary", badge(lead.verdict), change, make("span.where", where)));
    lazy(row, () => row.append(make("div.body", prose("p.do", gap.do), evidence(place), help(gap).slice(1), mutantList(mutants, false))));
    return row;
  }

  function findingRow(finding) {
    return make("article.finding", make("p", make("b", finding.message)),
      make("p.soft", finding.path + ":" + finding.span[0] + " \u00b7 " + finding.rule + " " + (data.rules[finding.rule] ?? "") + " \u00b7 " + finding.severity),
      finding.evidence ? make("p", finding.evidence) : null);
  }

  // ---- source

  function gravest(mutants) {
    return GRAVEST.find((verdict) => mutants.some((mutant) => mutant.verdict === verdict));
  }

  function marksOn(file, number, places) {
    return places.map((place) => {
      const [startLine, startColumn, endLine, endColumn] = data.places[place].span;
      if (number < startLine || number > endLine) return null;
      return {place, start: number === startLine ? startColumn - 1 : 0, end: number === endLine ? endColumn - 1 : Infinity};
    }).filter(Boolean);
  }

  function markedCode(text, marks) {
    const code = make("code");
    const length = points(text).length;
    const edges = [...new Set([0, length, ...marks.flatMap((mark) => [Math.min(mark.start, length), Math.min(mark.end, length)])])].sort((a, b) => a - b);
    for (let index = 0; index + 1 < edges.length; index++) {
      const [start, end] = [edges[index], edges[index + 1]];
      const over = marks.filter((mark) => mark.start <= start && mark.end >= end);
      const verdict = gravest(over.flatMap((mark) => mutantsOf[mark.place].filter(passes)));
      const part = between(text, start, end);
      code.append(verdict ? Object.assign(make("span.mark." + verdict, part), {title: words(verdict)}) : put(document.createDocumentFragment(), part));
    }
    return code;
  }

  function card(place) {
    const shown = mutantsOf[place].filter(passes), all = data.places[place];
    const open = gapsOf[place].filter((gap) => gap.mutants.some((number) => passes(data.mutants[number])));
    const ofGap = (gap) => gap.mutants.map((number) => data.mutants[number]).filter(passes);
    const told = new Set(open.flatMap(ofGap)), others = shown.filter((mutant) => !told.has(mutant));
    const hidden = mutantsOf[place].length - shown.length;
    return make("section.card", make("h3", make("code", all.source.length > 200 ? between(all.source, 0, 197) + "..." : all.source)),
      all.ignored ? make("p.soft", "Left out: " + all.ignored) : null, evidence(all),
      open.map((gap) => [help(gap), mutantList(ofGap(gap), true)]), others.length ? mutantList(others, true) : null,
      hidden ? make("p.soft", plural(hidden, "mutant") + " of this place left out by the filters") : null);
  }

  function gutterButton(number, places, row) {
    const mutants = places.flatMap((place) => mutantsOf[place]).filter(passes);
    if (!mutants.length) return make("span");
    const verdict = gravest(mutants);
    const counts = GRAVEST.map((one) => [one, mutants.filter((mutant) => mutant.verdict === one).length]).filter(([, count]) => count);
    const seen = make("span", SIGNS[verdict] + " " + mutants.length);
    seen.setAttribute("aria-hidden", "true");
    const told = "Line " + number + ": " + counts.map(([one, count]) => count + " " + words(one)).join(", ");
    const button = make("button." + verdict, seen, make("span.unseen", told));
    button.type = "button";
    button.title = told;
    button.setAttribute("aria-expanded", "false");
    row.toggle = (isOpen) => {
      if ((button.getAttribute("aria-expanded") === "true") === isOpen) return;
      button.setAttribute("aria-expanded", String(isOpen));
      if (isOpen) row.after(make("div.panel", places.filter((place) => mutantsOf[place].some(passes)).map(card)));
      else row.nextElementSibling.remove();
    };
    button.addEventListener("click", () => row.toggle(button.getAttribute("aria-expanded") !== "true"));
    return button;
  }

  function sourceRow(file, number, text, byStart, covering, rows) {
    const starting = byStart.get(number) ?? [];
    const row = make("div.row");
    const marks = marksOn(file, number, covering.get(number) ?? []);
    row.append(gutterButton(number, starting, row), make("span.number", number), markedCode(text, marks));
    if (row.toggle) row.classList.add("marked");
    if (starting.some((place) => mutantsOf[place].some((mutant) => mutant.changed))) row.classList.add("changed");
    rows.set(number, row);
    return row;
  }

  function fillFile(details, file) {
    const byStart = new Map(), covering = new Map();
    for (const place of file.places) {
      const [start, , end] = data.places[place].span;
      byStart.set(start, [...(byStart.get(start) ?? []), place]);
      for (let number = start; number <= end; number++) covering.set(number, [...(covering.get(number) ?? []), place]);
    }
    const lines = file.whole ? file.lines.map((text, index) => [index + 1, text]) : file.lines;
    details.rows = new Map();
    const code = make("div.code");
    for (let start = 0; start < lines.length; start += CHUNK) {
      code.append(make("div.chunk", lines.slice(start, start + CHUNK).map(([number, text]) => sourceRow(file, number, text, byStart, covering, details.rows))));
    }
    if (!file.whole) details.append(make("p.changed-file", "This file is not as it was when the run looked at it; only what was looked at is shown."));
    details.append(code);
  }

  function fileRow(number, keep) {
    const file = data.files[number];
    const mutants = file.places.flatMap((place) => mutantsOf[place]).filter(passes);
    const counts = make("span.counts");
    for (const verdict of GRAVEST) {
      const count = mutants.filter((mutant) => mutant.verdict === verdict).length;
      if (count) counts.append(make("span.badge." + verdict, sign(verdict), " " + count, make("span.unseen", " " + words(verdict))));
    }
    const details = make("details.file", make("summary", make("span.mono", file.path), counts));
    details.id = "file-" + number;
    lazy(details, () => fillFile(details, file));
    details.open = keep;
    return details;
  }

  // ---- the page

  function render() {
    const open = new Set([...document.querySelectorAll(".file[open]")].map((one) => one.id));
    const mutants = data.mutants.filter(passes);
    const gaps = data.gaps.filter((gap) => gap.mutants.some((number) => passes(data.mutants[number])));
    const findings = data.findings.filter((one) => (!filters.rule || one.rule === filters.rule) && (!filters.file || one.path === filters.file));
    showList(document.getElementById("gap-list"), gaps, gapRow, data.gaps.length ? "No gap passes these filters." : "No gaps: the tests notice all that was tried.");
    document.getElementById("gaps").hidden = false;
    document.getElementById("gaps-title").textContent = "Gaps (" + gaps.length + ")";
    document.getElementById("findings").hidden = !data.findings.length;
    document.getElementById("findings-title").textContent = "Findings (" + findings.length + ")";
    showList(document.getElementById("finding-list"), findings, findingRow, "No finding passes these filters.");
    const files = new Set(mutants.map((mutant) => fileOf.get(mutant.place)));
    for (const row of document.querySelectorAll("#files tbody tr")) row.hidden = !files.has(Number(row.dataset.file));
    const sources = document.getElementById("sources");
    if (sources) {
      document.getElementById("source").hidden = false;
      const shown = [...files].sort((a, b) => a - b);
      sources.replaceChildren(...shown.map((number) => fileRow(number, open.has("file-" + number))));
    }
    document.getElementById("count").textContent = mutants.length + " of " + plural(data.mutants.length, "mutant") + ", " + plural(gaps.length, "gap");
  }

  function openTarget(target) {
    const isMutant = target.startsWith("mutant-");
    const mutant = isMutant ? data.mutants[numberOf.get(target.slice(7))] : null;
    const number = mutant ? fileOf.get(mutant.place) : Number(target.slice(5));
    if (isMutant ? !mutant : !data.files[number]) return;
    const isHidden = mutant ? !passes(mutant) : !document.getElementById(target);
    if (isHidden) {
      filters = {verdict: [], rule: "", file: "", changed: false};
      showForm();
      render();
    }
    const details = document.getElementById("file-" + number);
    details.open = true;
    details.fill();
    if (mutant) details.rows.get(data.places[mutant.place].span[0])?.toggle?.(true);
    const element = document.getElementById(target);
    document.querySelector(".mutant.target")?.classList.remove("target");
    if (mutant) element.classList.add("target");
    const focused = mutant ? element : element.querySelector("summary");
    focused.focus({preventScroll: true});
    // what is left out of the layout until it is seen gets its height now: scroll once more when it has it
    element.scrollIntoView({block: "start"});
    requestAnimationFrame(() => requestAnimationFrame(() => element.scrollIntoView({block: "start"})));
  }

  function follow() {
    const {target, ...wanted} = readAddress();
    // a link to one mutant says nothing of filters: they stay
    const isPlain = target && location.hash === "#" + target;
    if (!isPlain) {
      filters = wanted;
      showForm();
      render();
    }
    if (target) {
      openTarget(target);
      writeAddress(target);
    }
  }

  fillForm();
  filters = readAddress();
  showForm();
  render();
  form.addEventListener("change", () => { readForm(); writeAddress(""); render(); });
  form.addEventListener("reset", (event) => {
    event.preventDefault();
    filters = {verdict: [], rule: "", file: "", changed: false};
    showForm();
    writeAddress("");
    render();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href^='#']");
    if (link && link.getAttribute("href") === location.hash.split("&")[0]) openTarget(location.hash.slice(1).split("&")[0]);
  });
  window.addEventListener("hashchange", follow);
  if (readAddress().target) follow();
})();
