// SPDX-License-Identifier: GPL-3.0-or-later
// What is different from another graph: a frame around a card and a sign on it.
#include <QPainter>
#include <algorithm>
#include <array>

#include "widgets/graph/graph_view.h"
#include "widgets/paint/paint.h"

namespace tw {

using session::NodeChange;

QString change_sign(NodeChange change) {
  static QString const kSigns[] = {"", "+", QStringLiteral("−"), QStringLiteral("≠"),
                                   QStringLiteral("↕")};
  return kSigns[size_t(change)];
}

QColor change_colour(Theme const& theme, NodeChange change) {
  switch (change) {
    case NodeChange::kAdded:
      return theme.added;
    case NodeChange::kRemoved:
      return theme.removed;
    case NodeChange::kMoved:
      return theme.moved;
    case NodeChange::kChanged:
      return theme.warn;
    case NodeChange::kSame:
      break;
  }
  return theme.text3;
}

void GraphView::show_changes(std::map<int, NodeChange> changes) {
  changes_ = std::move(changes);
  count_changes();
  update();
}

/// Of each card: how many of its nodes are what.
void GraphView::count_changes() {
  card_changes_.assign(changes_.empty() ? 0 : card_count(), {});
  if (!made_ || changes_.empty()) return;
  for (graph::Findable const& found : made_->findable)
    if (auto change = changes_.find(found.node->id); change != changes_.end())
      ++card_changes_[size_t(found.card)][size_t(change->second)];
}

QString GraphView::change_words(int card) const {
  QString words;
  if (card < 0 || size_t(card) >= card_changes_.size()) return words;
  auto const& counts = card_changes_[size_t(card)];
  for (size_t change = 1; change < counts.size(); ++change) {
    if (counts[change] == 0) continue;
    words += (words.isEmpty() ? "" : " ") + change_sign(NodeChange(change));
    if (made_->cards[size_t(card)].fold >= 0 || counts[change] > 1)
      words += QString::number(counts[change]);
  }
  return words;
}

void GraphView::draw_changes(QPainter& painter, QRectF const& seen) const {
  double thin = 1 / std::min(scale_, 1.0);
  for (size_t i = 0; i < card_changes_.size(); ++i) {
    graph::Card const& card = made_->cards[i];
    auto const& counts = card_changes_[i];
    auto most = std::ranges::max_element(counts.begin() + 1, counts.end());
    if (*most == 0 || !card.box.intersects(seen)) continue;
    QColor colour = change_colour(theme_, NodeChange(most - counts.begin()));
    double out = 3 * thin;
    QPen pen(colour, 2.5 * thin);
    if (most - counts.begin() == int(NodeChange::kRemoved)) pen.setStyle(Qt::DashLine);
    painter.setPen(pen);
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(card.box.adjusted(-out, -out, out, out), 9, 9);
    if (scale_ * unit() < graph::kReadable) continue;
    QString words = change_words(int(i));
    double wide = QFontMetricsF(mono_font(12, 600)).horizontalAdvance(words) + 12;
    QRectF plate(card.box.left() - 6, card.box.top() - 12, wide, 18);
    painter.setPen(QPen(colour, 1.2));
    painter.setBrush(theme_.raised);
    painter.drawRoundedRect(plate, 9, 9);
    paint::text(painter, plate, mono_font(12, 600), theme_.text1, words, Qt::AlignCenter);
  }
}

}  // namespace tw
