// The last minutes as a picture and as a table.
"use strict";

function showTimeline(status) {
  const ids = [...lanes.keys()], left = 130, width = 1000, lane = 26, top = 18, height = top + lane * ids.length + 24;
  // A service that has just begun fills the picture with its first minute.
  const end = status.at_seconds, span = Math.min(kWindow, Math.max(60, end));
  const x = (at) => left + (width - left - 8) * (1 - (end - at) / span);
  const ago = (seconds) => seconds === 0 ? "now" : seconds < 120 ? `${Math.round(seconds)} s ago` : `${number(seconds / 60)} min ago`;
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Which variant served each task, plans and drops, in the last ten minutes" });
  for (let part = 0; part <= 5; ++part) {
    const at = end - span * part / 5;
    picture.append(svg("line", { class: "axis", x1: x(at), x2: x(at), y1: top - 4, y2: height - 20 }),
      svg("text", { x: x(at), y: height - 6, "text-anchor": part === 0 ? "end" : "middle" }, ago(end - at)));
  }
  ids.forEach((id, row) => {
    const y = top + lane * row;
    picture.append(svg("text", { x: 0, y: y + 15 }, id.length > 18 ? `${id.slice(0, 17)}…` : id));
    const names = [...new Set(lanes.get(id).map((s) => s.variant))];
    for (const s of lanes.get(id)) {
      if (!s.variant) continue;
      const from = x(Math.max(s.from, end - span)), to = Math.max(x(s.to), from + 1);
      const bar = svg("rect", { x: from, y: y + 2, width: to - from, height: 16, rx: 2, fill: kColours[hash(s.variant) % kColours.length], "fill-opacity": names.length > 1 ? 0.85 : 0.55 });
      bar.append(svg("title", {}, `${id}: ${s.variant}`));
      picture.append(bar);
      if (to - from > 7 * s.variant.length) {
        const words = svg("text", { x: from + 4, y: y + 14 }, s.variant);
        words.style.fill = "#fff";
        picture.append(words);
      }
    }
  });
  for (const mark of marks.filter((m) => m.at >= end - span)) {
    if (mark.what === "plan") picture.append(svg("line", { class: "plan", x1: x(mark.at), x2: x(mark.at), y1: top - 4, y2: height - 20 }));
    if (mark.what === "drop") {
      const y = top + lane * ids.indexOf(mark.task) + 20;
      const dot = svg("path", { class: "drop", d: `M${x(mark.at)} ${y}l3 5h-6z` });
      dot.append(svg("title", {}, `${mark.task}: ${mark.text}`));
      picture.append(dot);
    }
  }
  const first = !$("timeline").children.length;
  $("timeline").replaceChildren(picture, element("p", { class: "dim" }, "Bars: the variant that serves. Dotted lines: plans. Triangles: dropped frames. Drops as seen since this page was opened."));
  if (first) $("timeline").scrollLeft = $("timeline").scrollWidth;  // where now is, on a narrow screen
  const rows = marks.slice(-100).reverse().map((mark) => element("tr", {}, element("td", { class: "number" }, `${Math.round(end - mark.at)} s ago`), element("td", {}, mark.task || "all"), element("td", {}, mark.text)));
  if ($("log").parentElement.open) {
    $("log").replaceChildren(table(["when", "task", "what"], rows));
  }
}
