import htmx from "htmx.org";
import * as arrows from "./js/arrows.js";
import * as ask from "./js/ask.js";
import * as choose from "./js/choose.js";
import * as figure from "./js/figure.js";
import * as forms from "./js/forms.js";
import * as judge from "./js/judge.js";
import * as live from "./js/live.js";
import * as mark from "./js/mark.js";
import * as names from "./js/names.js";
import * as once from "./js/once.js";
import * as palette from "./js/palette.js";
import * as review from "./js/review.js";
import * as prompt from "./js/prompt.js";
import * as shell from "./js/shell.js";
import * as source from "./js/source.js";
import * as travel from "./js/travel.js";
import * as upload from "./js/upload.js";
import * as within from "./js/within.js";

shell.start();
once.start();
palette.start();
forms.start();
names.start();
upload.start();
within.start();
ask.start();
source.start();
figure.start();
mark.start();
review.start();
prompt.start();
arrows.start();
travel.start();
choose.start();
judge.start();

// htmx announces every part of the page it has inserted, including the first.
htmx.onLoad(() => {
  choose.refocus();
  live.connect();
  live.tellCounts();
  source.show();
  figure.draw();
  ask.askWaiting();
  ask.mark();
});
