// The design's colours and fonts in the form that a picture needs: as values.

const shapes = ["circle", "rect", "diamond", "triangle", "roundRect", "pin"];

// look reads the tokens as they are now, light or dark.
export function look() {
  const style = getComputedStyle(document.documentElement);
  const token = (name) => style.getPropertyValue(`--${name}`).trim();
  return {
    paper: token("paper"), raised: token("paper-raised"),
    ink: token("ink"), quiet: token("ink-2"), meta: token("ink-3"), line: token("line"), strong: token("line-strong"),
    font: token("font-ui").replaceAll('"', "'"), // the library writes it into an attribute unescaped
    series: [1, 2, 3, 4, 5, 6].map((n) => token(`series-${n}`)),
  };
}

// shape is the symbol of the series with a number.
export const shape = (i) => shapes[i % shapes.length];

// colour is the colour of a series. From the seventh series on, colours repeat, hatched or dashed.
export const colour = (l, i) => l.series[i % l.series.length];
export const again = (l, i) => i >= l.series.length;

// hatched is the fill of a surface.
export function hatched(l, i) {
  const fill = { color: colour(l, i) };
  if (again(l, i)) fill.decal = { symbol: "rect", color: l.paper, dashArrayX: [1, 0], dashArrayY: [2, 5], rotation: -Math.PI / 4 };
  return fill;
}
