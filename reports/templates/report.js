// The page as a whole: draws it, follows links, listens.

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
    filters = NONE;
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

function start() {
  fillForm();
  filters = readAddress();
  showForm();
  render();
  form.addEventListener("change", () => { readForm(); writeAddress(""); render(); });
  form.addEventListener("reset", (event) => {
    event.preventDefault();
    filters = NONE;
    showForm();
    writeAddress("");
    render();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href^='#']");
    if (link?.className === "skip") {
      event.preventDefault(); // the address has the filters
      document.getElementById("gaps").focus();
      return;
    }
    if (link && link.getAttribute("href") === location.hash.split("&")[0]) openTarget(location.hash.slice(1).split("&")[0]);
  });
  window.addEventListener("hashchange", follow);
  if (readAddress().target) follow();
}

if (form) start();
