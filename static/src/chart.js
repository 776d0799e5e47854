// Draws charts. Loaded separately, with the first chart on a page, and bundles only the parts of the library
// that are used.
import { init, use } from "echarts/core";
import { BarChart, LineChart, PieChart, ScatterChart } from "echarts/charts";
import { GridComponent, LegendScrollComponent, TitleComponent, TooltipComponent } from "echarts/components";
import { SVGRenderer } from "echarts/renderers";
import { look } from "./chart/look.js";
import { option } from "./chart/option.js";

use([BarChart, LineChart, PieChart, ScatterChart, GridComponent, LegendScrollComponent, TitleComponent, TooltipComponent, SVGRenderer]);

// draw draws a chart and calls press with the link of a clicked value. It returns
// functions that redraw the chart (new size or colours) and remove it.
export function draw(place, chart, press) {
  const drawn = init(place, null, { renderer: "svg" });
  const again = () => {
    drawn.resize();
    drawn.setOption(option(chart, look(), place.clientWidth, false), { notMerge: true });
  };
  drawn.on("click", ({ data }) => {
    if (data?.link) press(chart.rows[data.link[0]].cells[data.link[1]].link);
  });
  again();
  return { again, remove: () => drawn.dispose() };
}

// file is the picture of a chart with its title, as the text of an SVG file.
export function file(chart, width, height) {
  const drawn = init(null, null, { renderer: "svg", ssr: true, width, height });
  drawn.setOption(option(chart, look(), width, true));
  const svg = drawn.renderToSVGString();
  drawn.dispose();
  return svg;
}
