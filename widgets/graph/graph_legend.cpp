// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/graph/graph_legend.h"

#include <QPainter>
#include <algorithm>
#include <array>

#include "engine/support/base/quantities.h"
#include "widgets/graph/graph_contents.h"
#include "widgets/paint/paint.h"

namespace tw {

using session::KernelState;
using session::PatternClass;

namespace {

constexpr double kHeight = 26, kSignRoom = 22, kGap = 18;

/// "70 operators → 19 kernels in 24 runs": of equal kernels one is written.
QString counts_of(session::GraphView const& graph) {
  return QString::fromStdString(count_text(int64_t(graph.nodes_before.size()), "operator")) +
         QStringLiteral(" → ") + graph::kernel_words(graph);
}

}  // namespace

GraphLegend::GraphLegend(QWidget* parent) : Canvas(parent) {
  setObjectName("graphLegend");
  setAccessibleName("Legend of the graph");
  setProperty("tells", true);  // nothing in it can be clicked
  rescale();
}

void GraphLegend::rescale() {
  setFixedHeight(pixels(QSizeF(0, kHeight)).height());
  updateGeometry();
}

void GraphLegend::show_cards(graph::Cards const* cards) {
  graph_ = cards ? cards->graph : nullptr;
  before_ = cards && cards->before;
  took_ms_ = cards ? cards->took_ms : 0;
  fill();
}

void GraphLegend::show_kernels(std::shared_ptr<session::KernelTable const> kernels) {
  if (kernels == kernels_) return;
  kernels_ = std::move(kernels);
  fill();
}

/// A screen reader is told, too.
void GraphLegend::say(QString const& sentence) {
  if (sentence == said_) return;
  said_ = sentence;
  setToolTip(sentence);
  setAccessibleDescription(sentence);
  fill();
}

void GraphLegend::fill() {
  entries_.clear();
  update();
  if (!said_.isEmpty()) return entries_.push_back({.words = said_});
  if (!graph_ || graph_->nodes.empty()) return;
  entries_.push_back({.words = counts_of(*graph_) + ", laid out in " + paint::time(took_ms_)});
  std::array<int, 4> classes{}, states{};
  for (session::GraphNodeView const& node : before_ ? graph_->nodes_before : graph_->nodes)
    ++classes[size_t(node.pattern) % classes.size()];
  for (session::GraphGroupView const& group : graph_->groups)
    if (kernels_ && group.kernel >= 0 && size_t(group.kernel) < kernels_->rows.size())
      ++states[size_t(kernels_->rows[size_t(group.kernel)].state) % states.size()];
  static constexpr std::pair<PatternClass, char const*> kClasses[] = {
      {PatternClass::kInjective, "injective"},
      {PatternClass::kReduction, "reduction"},
      {PatternClass::kComplex, "complex, output fusable"},
      {PatternClass::kOpaque, "opaque"}};
  for (auto const& [pattern, words] : kClasses)
    if (classes[size_t(pattern)] > 0)
      entries_.push_back({Entry::kClass, pattern, {}, words, classes[size_t(pattern)]});
  static constexpr std::pair<KernelState, char const*> kStates[] = {
      {KernelState::kPlain, "plain"},
      {KernelState::kDefault, "default schedule"},
      {KernelState::kHand, "by hand"},
      {KernelState::kTuned, "tuned"}};
  for (auto const& [state, words] : kStates)
    if (!before_ && states[size_t(state)] > 0)
      entries_.push_back({Entry::kState, {}, state, words, states[size_t(state)]});
}

std::vector<GraphLegend::Placed> GraphLegend::placed() const {
  std::vector<Placed> placed;
  QFontMetricsF letters(ui_font(11)), digits(mono_font(11));
  double x = 12;
  for (Entry const& entry : entries_) {
    double wide = letters.horizontalAdvance(entry.words) + 2;
    if (entry.sign != Entry::kNone) wide += kSignRoom;
    if (entry.count >= 0) wide += 6 + digits.horizontalAdvance(QString::number(entry.count)) + 2;
    if (!said_.isEmpty()) wide = std::min(wide, unit_width() - 24);
    if (x + wide > unit_width() - 12) break;
    placed.push_back({&entry, QRectF(x, 0, wide, kHeight)});
    x += wide + kGap;
  }
  return placed;
}

void GraphLegend::paintEvent(QPaintEvent*) {
  UnitPainter painter(this);
  painter.fillRect(unit_rect(), theme_.panel);
  painter.fillRect(QRectF(0, 0, unit_width(), 1), theme_.line2);
  QFontMetricsF letters(ui_font(11));
  for (auto const& [entry, box] : placed()) {
    double left = box.left() + (entry->sign == Entry::kNone ? 0 : kSignRoom);
    if (entry->sign == Entry::kClass) {
      QColor colour = paint::class_colour(theme_, entry->pattern);
      QRectF sign(box.left(), 5, 18, kHeight - 10);
      painter.fillRect(sign, Theme::mix(colour, theme_.panel, 0.16));
      painter.fillRect(QRectF(sign.left(), sign.top(), 3, sign.height()), colour);
      paint::class_glyph(painter, sign.adjusted(3, 0, 0, 0), theme_, entry->pattern);
    } else if (entry->sign == Entry::kState) {
      paint::kernel_state(painter, QPointF(box.left() + 9, kHeight / 2), theme_, entry->state);
    }
    double wide = std::min(letters.horizontalAdvance(entry->words) + 2, box.right() - left);
    paint::text(painter, QRectF(left, 0, wide, kHeight), ui_font(11), theme_.text2, entry->words);
    if (entry->count >= 0)
      paint::text(painter, QRectF(left + wide + 6, 0, box.right() - left - wide - 6, kHeight),
                  mono_font(11), theme_.text3, QString::number(entry->count));
  }
}

std::vector<Part> GraphLegend::parts() const {
  std::vector<Part> parts;
  for (auto const& [entry, box] : placed())
    parts.push_back({box, entry->count < 0 ? entry->words
                                           : entry->words + ", " + QString::number(entry->count)});
  return parts;
}

}  // namespace tw
