#include <fmt/format.h>

#include <algorithm>

#include "app/shared/report/drawings.h"
#include "app/shared/report/markup.h"
#include "app/shared/report/parts.h"
#include "engine/session/facts/facts.h"
#include "engine/session/spread_words.h"
#include "engine/support/base/quantities.h"
#include "engine/support/markup.h"

namespace tw::report {
namespace {

using session::HistoryNodeView;
using session::Verdict;

double number_of(char const* fact, Contents const& contents) {
  auto value = session::fact(fact, contents.now, {});
  auto const* number = value ? std::get_if<double>(&*value) : nullptr;
  return number ? *number : 0;
}

std::string times(char const* fact, Contents const& contents) {
  double gain = number_of(fact, contents);
  return gain > 0 ? number_text(gain) + "×" : "";
}

struct Word {
  std::string text, name;
};
Word verdict_of(HistoryNodeView const& node) {
  if (node.verdict == Verdict::kWrong) return {"✕ wrong", "error"};
  if (!node.failure.empty()) return {"▲ no result", "warn"};
  if (node.verdict == Verdict::kCorrect) return {"✓ correct", "ok"};
  return {"not checked", "dim"};
}

std::string figures(Contents const& contents) {
  session::HistoryView const& history = *contents.now.history;
  HistoryNodeView const& node = history.nodes[size_t(history.current)];
  std::string text = "<div class=\"figures\">\n";
  if (node.min_ms)
    text += figure("kernel.time", milliseconds_text(*node.min_ms),
                   "time, " + session::samples_words(*node.min_ms, node.spread, node.samples),
                   contents);
  if (node.speed)
    text += figure("kernel.speed", speed_text(*node.speed, history.unit), "speed", contents);
  if (node.fraction_of_roof)
    text += figure("kernel.of_roof", percent_text(*node.fraction_of_roof),
                   history.roof ? "of " + history.roof->words : "of the roof", contents);
  text += figure("kernel.gain", times("kernel.gain", contents), "as fast as the unscheduled nest",
                 contents);
  text += figure("kernel.over_default", times("kernel.over_default", contents),
                 "as fast as the default schedule", contents);
  text += figure("state", verdict_of(node).text, "against the reference", contents);
  return text + "</div>\n";
}

std::string check_part(HistoryNodeView const& node) {
  Word verdict = verdict_of(node);
  std::string text =
      "<section id=\"check\"><h2>Check</h2>\n" + element("p", verdict.text, verdict.name);
  for (std::string const* words : {&node.verdict_text, &node.failure, &node.note})
    if (!words->empty()) text += element("p", *words);
  return text + "</section>\n";
}

std::string elsewhere(HistoryNodeView const& node) {
  std::string text;
  for (session::ElsewhereView const& one : node.elsewhere)
    if (one.min_ms)
      text += (text.empty() ? "" : ", ") + milliseconds_text(*one.min_ms) + " on " + one.device;
  return text;
}

std::string cell(std::string const& text) { return element("td", text, "number"); }

/// Where it is not the one above, the step that it was taken after.
std::string step_of(HistoryNodeView const& node, int above) {
  std::string text = element("code", node.step.empty() ? node.label : node.step);
  if (node.parent >= 0 && node.parent != above)
    text += element("span", fmt::format(" after {}", node.parent), "dim");
  if (!node.note.empty()) text += element("p", node.note);
  return text;
}

std::string history_row(session::HistoryView const& history, HistoryNodeView const& node,
                        bool on_path, int above) {
  Word verdict = verdict_of(node);
  std::string spread =
      node.min_ms ? " " + session::samples_words(*node.min_ms, node.spread, node.samples) : "";
  return fmt::format(
      "<tr class=\"{}\" data-step=\"{}\">{}<td>{}</td>{}{}{}{}{}<td>{}</td></tr>\n",
      node.id == history.current ? "is-now"
      : on_path                  ? "on"
                                 : "off",
      node.id, cell(std::to_string(node.id)), step_of(node, above),
      cell(node.min_ms ? milliseconds_text(*node.min_ms) + spread : ""),
      cell(node.speed ? speed_text(*node.speed, history.unit) : ""),
      cell(node.fraction_of_roof ? percent_text(*node.fraction_of_roof) : ""),
      cell(node.model_ms ? milliseconds_text(*node.model_ms) + " " + node.bound : ""),
      element("td", verdict.text, verdict.name), escaped_markup(elsewhere(node)));
}

std::string history_part(session::HistoryView const& history) {
  std::vector<int> path = path_of(history);
  std::string text =
      "<section id=\"history\"><h2>History</h2>\n<div class=\"drawing\">" +
      history_drawing(history) +
      "</div>\n<div class=\"wide\"><table>\n<tr><th>#</th><th>step</th><th class=\"number\">time"
      "</th><th class=\"number\">speed</th><th class=\"number\">of roof</th><th class=\"number\">"
      "modelled</th><th>result</th><th>elsewhere</th></tr>\n";
  int above = -1;
  for (HistoryNodeView const& node : history.nodes) {
    bool on_path = std::ranges::find(path, node.id) != path.end();
    text += history_row(history, node, on_path, above);
    above = node.id;
  }
  return text + "</table></div></section>\n";
}

std::string roofline_part(Contents const& contents) {
  session::RooflineView const* view = contents.now.roofline.get();
  if (!view || view->roofs.empty()) return {};
  std::vector<PlacedPoint> points;
  for (session::RooflinePoint const& point : view->trail)
    points.push_back({point, point.label, point.label});
  return "<section id=\"roofline\"><h2>Roofline</h2>\n<div class=\"drawing\">" +
         roofline_drawing(*view, points, view->unit) + "</div>\n" +
         element("p", view->explanation) + "</section>\n";
}

std::string code_part(Contents const& contents) {
  std::string text = "<section id=\"code\"><h2>Code</h2>\n";
  for (auto const& code : contents.code) {
    std::string lines;
    for (session::CodeLine const& line : code->lines) lines += line.text + "\n";
    if (!code->failure.empty()) lines = code->failure;
    text += fmt::format("<details><summary>{} · {}</summary>\n<pre>{}</pre></details>\n",
                        escaped_markup(code->title),
                        count_text(int64_t(code->lines.size()), "line"), escaped_markup(lines));
  }
  return text + "</section>\n";
}

}  // namespace

std::string kernel_part(Contents const& contents) {
  session::Snapshot const& now = contents.now;
  session::KernelRow const& kernel = now.kernels->rows[size_t(now.kernel)];
  session::HistoryView const& history = *now.history;
  std::string text = element("p", kernel.operators + " · " + kernel.shape) + figures(contents);
  text += "<section id=\"script\"><h2>Schedule</h2>\n" +
          (contents.script.empty() ? element("p", "The unscheduled loop nest: no step was applied.")
                                   : element("pre", contents.script)) +
          "</section>\n";
  text += check_part(history.nodes[size_t(history.current)]);
  text += history_part(history);
  if (now.nest)
    text += "<section id=\"loops\"><h2>Loops</h2>\n<div class=\"drawing\">" +
            loop_nest_drawing(*now.nest,
                              now.machine ? now.machine->cache_bytes : std::vector<int64_t>()) +
            "</div></section>\n";
  text += roofline_part(contents);
  return text + code_part(contents);
}

}  // namespace tw::report
