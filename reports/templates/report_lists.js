// The lists of gaps and findings; of long ones, so much is drawn as somebody asks for.

const BATCH = 50;

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
