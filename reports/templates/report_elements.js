// Makes elements. All text of the code under test goes through `put`, as text nodes; nothing here makes markup of strings.

const HIDDEN = /(?![\t\n ])[\p{C}\p{Z}]/u;
const HIDDEN_ALL = /((?![\t\n ])[\p{C}\p{Z}])/u;

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
  const element = make("span", data.signs[verdict]);
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
