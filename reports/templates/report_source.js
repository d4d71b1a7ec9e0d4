// The files with each expression marked; the lines of a file are drawn when it is opened.

const CHUNK = 80; // lines that the browser lays out together

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
  const seen = make("span", data.signs[verdict] + " " + mutants.length);
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
