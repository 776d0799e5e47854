// Finds words of a document's text on a page of its file. The two differ in white space, hyphens, ligatures and
// marks, so only letters and digits are compared.
const wordy = /[\p{L}\p{N}]/u;

// Fonts older than the characters for ligatures have theirs in the private area.
const ligatures = { "\uf001": "fi", "\uf002": "fl" };

// fold returns the letters and digits of a text in the form that is compared, with their positions in the text.
export function fold(text) {
  let folded = "";
  const at = [];
  let i = 0;
  for (const sign of text) {
    for (const c of (ligatures[sign] ?? sign).normalize("NFKD").toLowerCase()) {
      if (!wordy.test(c)) continue;
      folded += c;
      for (let unit = 0; unit < c.length; unit++) at.push(i);
    }
    i += sign.length;
  }
  return { folded, at };
}

// page returns the pieces of a page's text, ready for searching.
export function page(pieces) {
  let folded = "";
  const places = [];
  pieces.forEach((piece, n) => {
    const f = fold(piece);
    folded += f.folded;
    for (const i of f.at) places.push([n, i]);
  });
  return { pieces, folded, places };
}

// tail returns how many marks after the last letter of words are there too.
function tail(words, rest) {
  const marks = words.trimEnd().match(/[^\p{L}\p{N}\s]*$/u)[0];
  let n = 0;
  while (n < marks.length && marks[n] === rest[n]) n++;
  return n;
}

// locate returns the parts of pieces that contain words, the occurrence nearest to a fraction of the page:
// [piece, from, to]; empty if the page does not contain them.
export function locate(page, words, share) {
  const wanted = fold(words).folded;
  let best = -1;
  const off = (i) => Math.abs(i / page.folded.length - share);
  for (let i = wanted ? page.folded.indexOf(wanted) : -1; i >= 0; i = page.folded.indexOf(wanted, i + 1)) {
    if (best < 0 || off(i) < off(best)) best = i;
  }
  if (best < 0) return [];
  const parts = [];
  const [first, from] = page.places[best];
  const [last, until] = page.places[best + wanted.length - 1];
  for (let n = first; n <= last; n++) {
    const piece = page.pieces[n];
    const start = n === first ? from : 0;
    const end = n === last ? until + String.fromCodePoint(piece.codePointAt(until)).length + tail(words, piece.slice(until + 1)) : piece.length;
    if (piece.slice(start, end).trim()) parts.push([n, start, end]);
  }
  return parts;
}
