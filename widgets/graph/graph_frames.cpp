// SPDX-License-Identifier: GPL-3.0-or-later
// Frames around open groups, with their heads.
#include <algorithm>

#include "widgets/graph/graph_paint.h"
#include "widgets/paint/paint.h"

namespace tw {

using graph::Group;
using graph::kPad;

namespace {

constexpr double kSign = 14;

}  // namespace

void paint_fold_sign(QPainter& painter, QPointF centre, Theme const& theme, bool plus) {
  painter.setPen(QPen(theme.text2, 1.5));
  painter.setBrush(theme.control);
  painter.drawRoundedRect(QRectF(centre.x() - kSign / 2, centre.y() - kSign / 2, kSign, kSign), 3,
                          3);
  painter.drawLine(centre - QPointF(3.5, 0), centre + QPointF(3.5, 0));
  if (plus) painter.drawLine(centre - QPointF(0, 3.5), centre + QPointF(0, 3.5));
}

void paint_frames(QPainter& painter, GraphScene const& scene) {
  double thin = scene.thin();
  for (Group const& group : scene.cards.groups) {
    if (group.frame.isEmpty() || !group.frame.intersects(scene.seen)) continue;
    bool chosen = !scene.marks.group().empty() && group.key == scene.marks.group();
    int depth = 0;
    for (int g = int(&group - scene.cards.groups.data()); g >= 0;
         g = scene.cards.groups[size_t(g)].parent)
      ++depth;
    // Opaque: a large area takes several times as long to blend.
    QColor tint = Theme::mix(scene.theme.text1, scene.theme.inset, 0.025 * std::min(depth, 4));
    painter.setPen(QPen(chosen ? scene.theme.ink : scene.theme.line2, (chosen ? 2 : 1) * thin));
    painter.setBrush(tint);
    painter.drawRoundedRect(group.frame, 12, 12);
  }
}

/// Above the lines, which may run behind a title: what it holds, what that comes to, and which
/// other groups are built of the same, where there is room for it.
void paint_frame_heads(QPainter& painter, GraphScene const& scene) {
  QFontMetricsF letters(ui_font(13, 600)), small(ui_font(11));
  auto words_at = [&](QRectF const& place, QString const& words, QColor const& colour) {
    painter.fillRect(place.adjusted(-4, 3, 4, -3), scene.theme.inset);
    paint::text(painter, place, ui_font(11), colour, words);
  };
  for (size_t g = 0; g < scene.cards.groups.size(); ++g) {
    Group const& group = scene.cards.groups[g];
    if (group.frame.isEmpty() || !group.frame.intersects(scene.seen)) continue;
    QRectF head(group.frame.left() + kPad, group.frame.top() + 5, group.frame.width() - 2 * kPad,
                24);
    QString words = group.words;
    if (graph::CardValue const* sum = scene.values.of_group(g); sum && sum->known)
      words += QStringLiteral(" · ") + sum->words;
    double title = letters.horizontalAdvance(group.title) + 2;
    painter.fillRect(QRectF(head.left() + 18, head.top() + 3, title + 10, 18), scene.theme.inset);
    paint_fold_sign(painter, QPointF(head.left() + 7, head.center().y()), scene.theme, false);
    paint::text(painter, QRectF(head.left() + 22, head.top(), title, head.height()),
                ui_font(13, 600), scene.theme.text1, group.title);
    QRectF place(head.left() + 30 + title, head.top(), small.horizontalAdvance(words) + 2,
                 head.height());
    words_at(place, words, scene.theme.text2);
    if (!group.note.isEmpty() && place.right() + graph::kNoteRoom < group.note.left())
      words_at(group.note, group.alike, scene.theme.text3);
  }
}

}  // namespace tw
