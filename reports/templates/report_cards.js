// What is told of a gap and of a mutant.

const WIDEST = 300, BEFORE = 80; // characters of a line of a diff, and of those before the change
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
  const list = make("ol.posts", posts);
  list.setAttribute("role", "list"); // where its numbers are not shown, some screen readers take it for no list
  return make("figure.line", caption, list);
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
