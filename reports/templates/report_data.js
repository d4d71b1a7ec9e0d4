// What the page knows: the data, and its parts by each other.

const data = JSON.parse(document.getElementById("data").textContent);
const GRAVEST = Object.keys(data.signs); // the verdicts, the gravest first
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
