#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/shared/report/drawings.h"
#include "app/shared/report/markup.h"
#include "engine/session/facts/loop_words.h"
#include "engine/support/base/quantities.h"

namespace tw::report {
namespace {

constexpr double kRow = 30, kBar = 24, kHead = 40, kIndent = 14, kWide = 860;
constexpr double kBytes = 830;  // where the column of bytes ends

double width_of(session::LoopBar const& bar) {
  return std::min(92 + 30 * std::log2(double(std::max<int64_t>(bar.extent, 1))), 400.0);
}

std::string name_of(session::LoopBar const& bar) {
  bool reduces = bar.kind == session::AxisKind::kReduce || bar.kind == session::AxisKind::kMixed;
  return (reduces ? "Σ " : "") + bar.name;
}

/// What kind of loop it is, and what that gives: "parallel · 8 tasks".
std::string words_of(session::LoopBar const& bar) {
  std::string words;
  if (bar.mark != session::LoopMark::kSerial) words = std::string(session::name_of(bar.mark));
  if (!bar.axis.empty()) words += " " + bar.axis;
  if (!bar.consequence.empty()) words += (words.empty() ? "" : " · ") + bar.consequence;
  return words;
}

size_t level_of(session::LoopBar const& bar, std::vector<int64_t> const& caches) {
  size_t level = 0;
  while (level < caches.size() && bar.footprint > caches[level]) ++level;
  return std::min<size_t>(level, 3);
}

}  // namespace

std::string loop_nest_drawing(session::NestView const& nest, std::vector<int64_t> const& caches) {
  double high = 12;
  for (size_t stage = 0; stage < nest.stages.size(); ++stage) high += kHead;
  high += kRow * double(nest.bars.size());
  Drawing drawing(kWide, high, "Loop nest");
  double y = 4;
  for (size_t stage = 0; stage < nest.stages.size(); ++stage) {
    session::StageCard const& card = nest.stages[stage];
    drawing.text(12, y + 26, card.name, "strong mono");
    drawing.text(24 + 8.0 * double(card.name.size()), y + 26,
                 (card.op.empty() || card.op == card.name ? "" : card.op + " · ") + card.summary +
                     " · " + card.output,
                 "small");
    y += kHead;
    for (session::LoopBar const& bar : nest.bars) {
      if (bar.stage != int(stage)) continue;
      double x = 12 + kIndent * bar.depth, wide = width_of(bar);
      std::string hue = fmt::format("hue{}", bar.hue % 8);
      drawing.rect(x, y, wide, kBar, hue + (bar.level > 0 ? " inner" : " outer"));
      drawing.rect(x, y, 4, kBar, hue, 2);
      drawing.text(x + 12, y + 16, name_of(bar), "mono");
      drawing.text(x + wide - 10, y + 16, std::to_string(bar.extent), "mono dim", "end");
      drawing.text(x + wide + 10, y + 16, words_of(bar), "small");
      drawing.circle(kBytes - 76, y + 12, 3.5, fmt::format("level{} solid", level_of(bar, caches)));
      drawing.text(kBytes, y + 16, bytes_text(double(bar.footprint)), "small", "end");
      y += kRow;
    }
  }
  if (!nest.bars.empty()) drawing.text(kBytes, 14, "bytes of one iteration", "small", "end");
  return drawing.done();
}

}  // namespace tw::report
