// Assembly as it is shown, and what is said of its hot loop.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "engine/session/session.h"
#include "engine/session/views/assembly_loops.h"
#include "engine/session/views/schedule_views.h"
#include "engine/support/base/quantities.h"

namespace tw::session {
namespace {

bool continues_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '$';
}

/// Labels that instructions or directives name.
std::set<std::string_view> named_labels(CodeText const& text) {
  std::set<std::string_view> all, named;
  for (CodeLine const& line : text.lines)
    if (std::string_view label = label_of(line.text); !label.empty()) all.insert(label);
  for (CodeLine const& line : text.lines) {
    if (!label_of(line.text).empty()) continue;
    std::string_view rest = line.text;
    for (size_t at = 0; at < rest.size();) {
      size_t end = at;
      while (end < rest.size() && continues_name(rest[end])) ++end;
      if (end > at && all.contains(rest.substr(at, end - at)))
        named.insert(rest.substr(at, end - at));
      at = end + (end == at);
    }
  }
  return named;
}

/// As the listing has them: one space in the place of tabs.
std::string one_spaced(std::string text) {
  std::ranges::replace(text, '\t', ' ');
  return text;
}

}  // namespace

ShownAssembly shown_assembly(std::shared_ptr<CodeText const> const& whole,
                             AssemblyReport const* report, AssemblyLook const& look) {
  ShownAssembly shown;
  if (!whole) return shown;
  bool intel = look.intel && report && report->complete && report->text == whole;
  auto copy = std::make_shared<CodeText>(*whole);
  copy->lines.clear();
  std::set<std::string_view> named;
  if (!look.labels) named = named_labels(*whole);
  for (size_t i = 0; i < whole->lines.size(); ++i) {
    CodeLine const& line = whole->lines[i];
    AssemblyLine kind = kind_of(line.text);
    std::string_view label = label_of(line.text);
    bool local = label.starts_with(".");
    if (kind == AssemblyLine::kDirective && !look.directives) continue;
    if (kind == AssemblyLine::kLabel && !look.labels && local && !named.contains(label)) continue;
    copy->lines.push_back(line);
    shown.lines.push_back(int32_t(i));
    if (!intel) continue;
    auto facts = report->instructions.find(int32_t(i));
    if (facts != report->instructions.end() && !facts->second.intel.empty())
      copy->lines.back().text = one_spaced(facts->second.intel);
  }
  shown.text = std::move(copy);
  return shown;
}

ShownAssembly with_changes(ShownAssembly const& now, ShownAssembly const& before) {
  ShownAssembly shown;
  if (!now.text || !before.text) return now;
  auto marked = std::make_shared<CodeText>(with_changes(*now.text, *before.text));
  size_t next = 0;
  for (CodeLine const& line : marked->lines)
    shown.lines.push_back(line.change == LineChange::kRemoved ? -1 : now.lines[next++]);
  shown.text = std::move(marked);
  return shown;
}

std::string summary_of(AssemblyReport const& report) {
  if (!report.failure.empty()) return report.failure;
  if (!report.hot) return "There is no loop in the code.";
  LoopModel const& loop = report.loop;
  if (!loop.failure.empty()) return loop.failure + ": the hot loop is not modelled.";
  return fmt::format("{} cycles an iteration, modelled for {}", number_text(loop.cycles),
                     loop.processor);
}

std::string assumptions_of(AssemblyReport const& report) {
  if (!report.hot || !report.loop.failure.empty()) return "";
  std::string text = "Assumes L1 hits and perfect branch prediction";
  if (report.hot->blocks > 1)
    text += fmt::format("; the loop has {} basic blocks, all assumed executed", report.hot->blocks);
  return text + ".";
}

double heat_of(double cycles, LoopModel const& loop) {
  double most = 0;
  for (LineCost const& line : loop.lines) most = std::max(most, line.cycles);
  constexpr double kDecades = 2;  // that the scale shows
  if (cycles <= 0 || most <= 0) return 0;
  return std::clamp(1 + std::log10(cycles / most) / kDecades, 0.0, 1.0);
}

}  // namespace tw::session
