#include <fmt/format.h>

#include <algorithm>

#include "app/shared/report/drawings.h"
#include "app/shared/report/markup.h"
#include "app/shared/report/parts.h"
#include "engine/session/kernel_rows.h"
#include "engine/session/model_roofline.h"
#include "engine/session/views/graph_picture.h"
#include "engine/support/base/quantities.h"
#include "engine/support/markup.h"

namespace tw::report {
namespace {

using session::KernelRow;

constexpr size_t kMostShown = 24;  // kernels of a graph that is not folded

/// Of all its runs; 0 where it is not known.
double whole_time_of(KernelRow const& row) { return session::time_in_model(row).value_or(0); }

/// "12 ms", "○ 12 ms" where it is modelled.
std::string time_text(KernelRow const& row, double ms) {
  return (row.time_ms ? "" : "○ ") + milliseconds_text(ms);
}

std::string state_of(KernelRow const& row) {
  constexpr char const* kStates[] = {"plain", "default", "by hand", "tuned"};
  return kStates[size_t(row.state)];
}

std::string cell(std::string const& text) { return element("td", text, "number"); }

std::string table_row(KernelRow const& row, double whole) {
  double share = whole > 0 ? whole_time_of(row) / whole : 0;
  auto time = session::time_of(row);
  std::string bar = time ? fmt::format("<i style=\"width:{:.1f}%\"></i>", share * 100) : "";
  return fmt::format(
      "<tr data-kernel=\"{}\"><td><code>{}</code>{}</td>{}{}{}<td class=\"share\">{}{}</td>{}{}"
      "</tr>\n",
      escaped_markup(row.name), escaped_markup(row.name),
      element("p", row.operators + " · " + row.shape), cell(std::to_string(row.count)),
      cell(time ? time_text(row, *time) : ""),
      cell(time && row.count > 1 ? time_text(row, whole_time_of(row)) : ""),
      escaped_markup(time ? percent_text(share) : "not measured"), bar,
      cell(row.fraction_of_roof ? percent_text(*row.fraction_of_roof) : ""),
      element("td", state_of(row)));
}

std::string kernels_part(session::KernelTable const& table) {
  double whole = 0;
  for (KernelRow const& row : table.rows) whole += whole_time_of(row);
  std::string text =
      "<section id=\"kernels\"><h2>Kernels</h2>\n<div class=\"wide\"><table>\n<tr><th>kernel</th>"
      "<th class=\"number\">runs</th><th class=\"number\">time</th><th class=\"number\">of all "
      "runs</th><th>share</th><th class=\"number\">of roof</th><th>schedule</th></tr>\n";
  for (KernelRow const& row : table.rows) text += table_row(row, whole);
  return text + "</table></div></section>\n";
}

std::string figures(Contents const& contents) {
  session::Snapshot const& now = contents.now;
  std::string text = "<div class=\"figures\">\n";
  if (now.kernels->total_ms)
    text += figure("model.time", milliseconds_text(*now.kernels->total_ms),
                   "time of the whole model, measured", contents);
  else if (auto modelled = session::modelled_ms(*now.kernels))
    text += figure("model.modelled_time", milliseconds_text(*modelled),
                   "○ modelled times of all kernels", contents);
  text += figure("kernels", std::to_string(now.kernels->rows.size()), "kernels", contents);
  text += figure("model.operators", std::to_string(now.model->operators), "operators", contents);
  return text + "</div>\n";
}

std::string graph_part(session::Snapshot const& now) {
  if (!now.graph || now.graph->nodes.empty()) return {};
  bool small = now.graph->groups.size() <= kMostShown;
  return fmt::format(
      "<section id=\"graph\"><h2>Graph</h2>\n<details{}><summary>{} after fusion</summary>\n<div "
      "class=\"drawing\">{}</div></details></section>\n",
      small ? " open=\"open\"" : "", count_text(int64_t(now.graph->groups.size()), "kernel"),
      session::graph_svg(*now.graph, *now.kernels, {.of_page = true}));
}

std::string roofline_part(Contents const& contents) {
  if (!contents.layers || contents.layers->below.roofs.empty()) return {};
  session::RooflineView const& below = contents.layers->below;
  std::string unit = below.unit;
  for (session::RoofView const& roof : below.roofs)
    if (roof.compute) unit = session::unit_of(roof);
  std::vector<PlacedPoint> points;
  for (session::LayerPoint const& layer : contents.layers->layers) {
    if (!layer.missing.empty()) continue;
    points.push_back({layer.by_rule, "", layer.name});
    points.back().point.measured = false;
    points.back().point.current = false;
  }
  return "<section id=\"roofline\"><h2>Roofline</h2>\n<div class=\"drawing\">" +
         roofline_drawing(below, points, unit) + "</div>\n" + element("p", below.explanation) +
         "</section>\n";
}

}  // namespace

std::string model_part(Contents const& contents) {
  std::string text = figures(contents);
  for (std::string const& note : contents.now.model->notes) text += element("p", note);
  return text + kernels_part(*contents.now.kernels) + graph_part(contents.now) +
         roofline_part(contents);
}

}  // namespace tw::report
