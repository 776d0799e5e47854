// The colours of the page, for canvases.
export function look() {
  const style = getComputedStyle(document.documentElement);
  const get = (name) => style.getPropertyValue(name).trim();
  return {
    paper: get("--paper"), sunk: get("--paper-sunk"), ink: get("--ink"), ink2: get("--ink-2"), line: get("--line"), strong: get("--line-strong"),
    thread: get("--thread"), font: get("--font-ui") || "sans-serif", serif: get("--font-text") || "serif",
    tint: [1, 2, 3, 4].map((n) => get(`--tint-${n}`)),
    label: (shape) => get(`--label-${shape.class.split(" ")[0].slice(2)}`) || get("--ink-2"),
  };
}

// mixed returns a colour between two of the form #rrggbb.
export function mixed(colour, ground, part) {
  const channels = (c) => [1, 3, 5].map((i) => Number.parseInt(c.slice(i, i + 2), 16));
  const [a, b] = [channels(colour), channels(ground)];
  return `#${a.map((x, i) => Math.round(x * part + b[i] * (1 - part)).toString(16).padStart(2, "0")).join("")}`;
}
