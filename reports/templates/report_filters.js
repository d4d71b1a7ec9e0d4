// Which mutants are shown: the form, and the address, which keeps what the form says.

const form = document.getElementById("filters");
const NONE = Object.freeze({verdict: [], rule: "", file: "", changed: false});
let filters = NONE;

function readAddress() {
  const found = {...NONE, target: ""};
  for (const part of location.hash.slice(1).split("&")) {
    let [name, value = ""] = part.split("=", 2);
    try { value = decodeURIComponent(value); } catch { continue; }
    if (name === "verdict") found.verdict = value.split(",").filter((one) => GRAVEST.includes(one));
    else if (name === "rule" && Object.hasOwn(data.rules, value)) found.rule = value;
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
