// Reads a chart from its table on the page.

// read returns the chart of a figure. Each cell has its value and the link to
// its source.
export function read(figure) {
  const table = figure.querySelector(".figure-table table");
  const columns = [...table.tHead.rows[0].cells].map((c) => c.textContent.trim());
  const rows = [...table.tBodies[0].rows].map((row) => ({
    name: row.cells[0].textContent.trim(),
    cells: [...row.cells].slice(1).map((cell) => ({
      value: cell.dataset.value === undefined ? null : Number(cell.dataset.value),
      link: cell.querySelector("a"),
    })),
  }));
  const { type, unit, x, y } = figure.dataset;
  const title = figure.querySelector("figcaption b").textContent;
  return { type, title, unit, x, y, names: columns.slice(1), rows };
}

const bars = ["bar", "grouped_bar", "stacked_bar"];

// across reports whether bars are horizontal, because their names would not fit below them.
export function across(chart, width) {
  if (!bars.includes(chart.type)) return false;
  const longest = Math.max(0, ...chart.rows.map((r) => r.name.length));
  return (longest * 6.5 + 10) * chart.rows.length > width - 70;
}

// height is the height of the picture in pixels.
export function height(chart, width) {
  if (!across(chart, width)) return width < 420 ? 280 : 320;
  const beside = chart.type === "grouped_bar" ? chart.names.length : 1;
  return Math.min(4000, Math.max(200, chart.rows.length * (beside * 14 + 12) + 90));
}
