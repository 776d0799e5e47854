// Describes a chart for the drawing library. Nothing in it is animated.
import { again, colour, hatched, shape } from "./look.js";
import { across } from "./read.js";

// number formats a value as in the table, with commas between thousands from 10,000 on or, on an axis that
// reaches that far, throughout.
export function number(v, commas = Math.abs(v) >= 10000) {
  const text = String(v).replace("-", "−");
  if (!commas) return text;
  const [whole, rest] = text.split(".");
  return whole.replace(/\B(?=(\d{3})+$)/g, ",") + (rest ? `.${rest}` : "");
}

const short = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

// option returns the ECharts option of a chart of the given width in pixels;
// titled adds the title, for downloads.
export function option(chart, l, width, titled) {
  const many = chart.type !== "pie" && new Set(series(chart, l).map((s) => s.name)).size > 1;
  const head = titled ? 40 : 4;
  return {
    animation: false,
    stateAnimation: { duration: 0 },
    backgroundColor: titled ? l.paper : "transparent",
    textStyle: { fontFamily: l.font, fontSize: 12, color: l.quiet },
    title: { show: titled, text: chart.title, left: 8, top: 8, textStyle: { color: l.ink, fontFamily: l.font, fontSize: 15, fontWeight: 600, width: width - 16, overflow: "truncate" } },
    legend: { show: many, type: "scroll", left: 0, top: head, itemWidth: 14, itemHeight: 10, textStyle: { color: l.quiet, fontSize: 12 }, formatter: (name) => short(name, 32), pageIconColor: l.quiet, pageTextStyle: { color: l.quiet } },
    tooltip: { renderMode: "richText", confine: true, trigger: "item", transitionDuration: 0, backgroundColor: l.raised, borderColor: l.strong, borderWidth: 1, padding: 8, textStyle: { color: l.ink, fontFamily: l.font, fontSize: 12, lineHeight: 18 }, formatter: (p) => tip(chart, p) },
    ...(chart.type === "pie" ? {} : axes(chart, l, width, head + (many ? 32 : 8))),
    series: series(chart, l, width, head),
  };
}

// tip returns the text of the tooltip.
function tip(chart, p) {
  const unit = chart.unit ? ` ${chart.unit}` : "";
  if (chart.type === "scatter") return `${short(p.seriesName, 60)}\n${number(p.value[0])}, ${number(p.value[1])}${unit}`;
  const of = chart.names.length > 1 ? `, ${short(p.seriesName, 60)}` : "";
  return `${short(p.name, 60)}${of}\n${number(p.data.value)}${unit}`;
}

function axes(chart, l, width, top) {
  const lying = across(chart, width);
  const line = { axisLine: { show: true, lineStyle: { color: l.strong } }, axisTick: { show: false }, nameTextStyle: { color: l.meta, fontSize: 12 }, nameLocation: "middle", nameGap: 28 };
  const label = { color: l.quiet, fontSize: 12, hideOverlap: true };
  const far = chart.rows.some((r) => r.cells.some((c, i) => Math.abs(c.value) >= 10000 && !(chart.type === "scatter" && i === 0)));
  const value = (name, scale, far) => ({ ...line, type: "value", name, scale, axisLine: { show: false }, splitLine: { lineStyle: { color: l.line } }, axisLabel: { ...label, formatter: (v) => number(v, far) } });
  const y = chart.y && chart.unit ? `${chart.y} (${chart.unit})` : chart.y || chart.unit;
  const grid = { left: 4, right: 12, top, bottom: 8, outerBoundsMode: "same", outerBoundsContain: "all" };
  if (chart.type === "scatter") return { grid, xAxis: value(chart.x, true, chart.rows.some((r) => Math.abs(r.cells[0].value) >= 10000)), yAxis: value(y, true, far) };
  const names = {
    ...line, type: "category", name: lying ? "" : chart.x, data: chart.rows.map((r) => r.name), inverse: lying,
    boundaryGap: !["line", "area"].includes(chart.type) || chart.rows.length === 1,
    axisLabel: { ...label, width: lying ? Math.min(180, width * 0.4) : undefined, overflow: "truncate", interval: lying ? 0 : "auto" },
  };
  const values = value(y, chart.type === "line", far);
  return lying ? { grid, xAxis: values, yAxis: names } : { grid, xAxis: names, yAxis: values };
}

function series(chart, l, width = 0, head = 0) {
  if (chart.type === "pie") return [pie(chart, l, width, head)];
  if (chart.type === "scatter") return scatter(chart, l);
  return chart.names.map((name, i) => {
    const data = chart.rows.map((r, row) => ({ value: r.cells[i].value ?? "-", link: [row, i] }));
    const common = { name, data, cursor: "pointer", emphasis: { focus: "none" } };
    if (["line", "area"].includes(chart.type)) {
      return {
        ...common, type: "line", symbol: shape(i), symbolSize: 8, showAllSymbol: "auto", itemStyle: { color: colour(l, i) },
        lineStyle: { width: 2, color: colour(l, i), type: again(l, i) ? "dashed" : "solid" },
        areaStyle: chart.type === "area" ? { color: colour(l, i), opacity: 0.2 } : undefined,
      };
    }
    return { ...common, type: "bar", stack: chart.type === "stacked_bar" ? "all" : undefined, barMaxWidth: 44, itemStyle: hatched(l, i) };
  });
}

// scatter gathers the rows with a name into one series.
function scatter(chart, l) {
  const names = [...new Set(chart.rows.map((r) => r.name))];
  return names.map((name, i) => ({
    name, type: "scatter", symbol: shape(i), symbolSize: 10, cursor: "pointer", itemStyle: { color: colour(l, i) },
    data: chart.rows.flatMap((r, row) => (r.name === name ? [{ value: r.cells.map((c) => c.value), link: [row, 1] }] : [])),
  }));
}

function pie(chart, l, width, head) {
  return {
    name: chart.names[0], type: "pie", radius: ["0%", "66%"], top: head, cursor: "pointer", emphasis: { scale: false }, minShowLabelAngle: 3,
    label: { color: l.quiet, fontSize: 12, formatter: (p) => `${short(p.name, 28)} ${number(p.value)}`, width: Math.max(80, width / 4), overflow: "break" },
    labelLine: { length: 10, length2: 8, lineStyle: { color: l.strong } },
    data: chart.rows.map((r, row) => ({ name: r.name, value: r.cells[0].value, link: [row, 0], itemStyle: { ...hatched(l, row), borderColor: l.paper, borderWidth: 2 } })),
  };
}
