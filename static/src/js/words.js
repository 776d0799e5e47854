// Words of scripts in the language of the page, which contains their translations by the English words.

const own = JSON.parse(document.getElementById("words")?.textContent ?? "{}");

// t returns words in the language of the page, with each %s replaced by a value.
export const t = (words, ...values) => (own[words] ?? words).replace(/%s/g, () => values.shift());
