// SPDX-License-Identifier: GPL-3.0-or-later
// Groups of a graph: folded to one card, or open in a frame.
#include <QPainter>
#include <algorithm>

#include "engine/session/views/graph_frames.h"
#include "widgets/graph/graph_view.h"
#include "widgets/paint/paint.h"

namespace tw {

using graph::Card;
using graph::Group;
using graph::kPad;

namespace {

constexpr double kSign = 14;

/// [+] or [−].
void draw_sign(QPainter& painter, QPointF centre, Theme const& theme, bool plus) {
  painter.setPen(QPen(theme.text2, 1.5));
  painter.setBrush(theme.control);
  painter.drawRoundedRect(QRectF(centre.x() - kSign / 2, centre.y() - kSign / 2, kSign, kSign), 3,
                          3);
  painter.drawLine(centre - QPointF(3.5, 0), centre + QPointF(3.5, 0));
  if (plus) painter.drawLine(centre - QPointF(0, 3.5), centre + QPointF(0, 3.5));
}

}  // namespace

// ---- opening and folding -------------------------------------------------------------------

Group const* GraphView::group_of(std::string const& key) const {
  if (!made_ || key.empty()) return nullptr;
  auto found = std::ranges::find(made_->groups, key, &Group::key);
  return found == made_->groups.end() ? nullptr : &*found;
}

bool GraphView::is_open(std::string const& key) const {
  Group const* group = group_of(key);
  return group && group->open;
}

size_t GraphView::folded_count() const {
  if (!ready()) return 0;
  return size_t(
      std::ranges::count_if(made_->cards, [](Card const& card) { return card.fold >= 0; }));
}

bool GraphView::fold(std::string const& key, bool open) {
  Group const* group = group_of(key);
  if (!group) return false;
  group_ = anchor_ = key;
  folds_[before_ ? 1 : 0].own[key] = open;
  if (open && match_ >= 0) {
    graph::Findable const& found = *found_now();
    bool holds = false;
    for (int g = found.inner; g >= 0; g = made_->groups[size_t(g)].parent)
      holds |= made_->groups[size_t(g)].key == key;
    if (holds) {
      wanted_node_ = found.node->id;
      open_to(found.inner);
    }
  }
  lay_out_as_wanted();
  update();
  return true;
}

std::map<std::string, bool> GraphView::fold_states() const {
  std::map<std::string, bool> states;
  if (ready())
    for (Group const& group : made_->groups) states[group.key] = group.open;
  return states;
}

void GraphView::fold_as(std::map<std::string, bool> const& states) {
  for (auto const& [key, open] : states) folds_[before_ ? 1 : 0].own[key] = open;
  lay_out_as_wanted();
}

void GraphView::fold_all(bool open) {
  folds_[before_ ? 1 : 0] = {open, {}, folds().room};
  anchor_.clear();
  fitted_ = false;
  lay_out_as_wanted();
}

std::map<std::string, bool> GraphView::innermost_folded() const {
  std::map<std::string, bool> folded;
  if (!ready()) return folded;
  std::vector<char> holds(made_->groups.size(), 0);
  for (Group const& group : made_->groups)
    if (group.parent >= 0 && group.open) holds[size_t(group.parent)] = 1;
  for (size_t g = 0; g < made_->groups.size(); ++g)
    if (made_->groups[g].open && !holds[g]) folded[made_->groups[g].key] = false;
  return folded;
}

/// The groups around what is in `inner`.
void GraphView::open_to(int inner) {
  for (int g = inner; g >= 0; g = made_->groups[size_t(g)].parent)
    if (!made_->groups[size_t(g)].open) {
      folds_[before_ ? 1 : 0].own[made_->groups[size_t(g)].key] = true;
      anchor_ = made_->groups[size_t(g)].key;
    }
  lay_out_as_wanted();
}

/// What was clicked stays under the pointer.
void GraphView::keep_in_place(QRectF const& stood) {
  Group const* group = group_of(anchor_);
  anchor_.clear();
  if (!group || !group->seen()) return;
  QRectF stands = group->card >= 0 ? made_->cards[size_t(group->card)].box : group->frame;
  origin_ += (stood.topLeft() - stands.topLeft()) * scale_;
  moved_ = true;
}

std::string GraphView::chosen_group() const {
  if (Group const* group = group_of(group_); group && group->seen()) return group_;
  if (!ready()) return {};
  for (Card const& card : made_->cards) {
    if (!holds_kernel(card)) continue;
    int group = card.fold >= 0 ? card.fold : made_->members[size_t(card.members.front())].inner;
    if (group >= 0) return made_->groups[size_t(group)].key;
  }
  return {};
}

void GraphView::step_group(int direction) {
  if (!ready()) return;
  std::vector<Group const*> seen;
  for (Group const& group : made_->groups)
    if (group.seen()) seen.push_back(&group);
  if (seen.empty()) return;
  auto now = std::ranges::find(seen, group_, [](Group const* group) { return group->key; });
  int count = int(seen.size());
  int next = now == seen.end() ? (direction > 0 ? 0 : count - 1)
                               : std::clamp(int(now - seen.begin()) + direction, 0, count - 1);
  group_ = seen[size_t(next)]->key;
  if (seen[size_t(next)]->card >= 0) bring_into_view(seen[size_t(next)]->card);
  update();
  emit chosen(QString::fromStdString(group_), -1);
}

/// A folded card opens; the head of a frame folds it.
bool GraphView::click_group(QPointF scene) {
  for (auto group = made_->groups.rbegin(); group != made_->groups.rend(); ++group) {
    QRectF place = group->card >= 0 ? made_->cards[size_t(group->card)].box
                                    : QRectF(group->frame.topLeft(),
                                             QSizeF(group->frame.width(), session::kFrameHead));
    if (!group->seen() || !place.contains(scene)) continue;
    group_ = group->key;
    emit fold_asked(QString::fromStdString(group->key), !group->open);
    return true;
  }
  return false;
}

bool GraphView::holds_kernel(Card const& card) const {
  return kernel_ >= 0 && std::ranges::any_of(card.members, [&](int member) {
           return made_->members[size_t(member)].kernel == kernel_;
         });
}

// ---- painting ------------------------------------------------------------------------------

void GraphView::draw_frames(QPainter& painter, QRectF const& seen) const {
  double thin = 1 / std::min(scale_, 1.0);
  for (Group const& group : made_->groups) {
    if (group.frame.isEmpty() || !group.frame.intersects(seen)) continue;
    bool chosen = !group_.empty() && group.key == group_;
    int depth = 0;
    for (int g = int(&group - made_->groups.data()); g >= 0; g = made_->groups[size_t(g)].parent)
      ++depth;
    // Opaque: a large area takes several times as long to blend.
    QColor tint = Theme::mix(theme_.text1, theme_.inset, 0.025 * std::min(depth, 4));
    painter.setPen(QPen(chosen ? theme_.ink : theme_.line2, (chosen ? 2 : 1) * thin));
    painter.setBrush(tint);
    painter.drawRoundedRect(group.frame, 12, 12);
  }
}

/// Above the lines, which may run behind a title: what it holds, what that comes to, and which
/// other groups are built of the same, where there is room for it.
void GraphView::draw_frame_heads(QPainter& painter, QRectF const& seen) const {
  QFontMetricsF letters(ui_font(13, 600)), small(ui_font(11));
  auto words_at = [&](QRectF const& place, QString const& words, QColor const& colour) {
    painter.fillRect(place.adjusted(-4, 3, 4, -3), theme_.inset);
    paint::text(painter, place, ui_font(11), colour, words);
  };
  for (size_t g = 0; g < made_->groups.size(); ++g) {
    Group const& group = made_->groups[g];
    if (group.frame.isEmpty() || !group.frame.intersects(seen)) continue;
    QRectF head(group.frame.left() + kPad, group.frame.top() + 5, group.frame.width() - 2 * kPad,
                24);
    QString words = group.words;
    if (g < sums_.size() && sums_[g].known) words += QStringLiteral(" · ") + sums_[g].words;
    double title = letters.horizontalAdvance(group.title) + 2;
    painter.fillRect(QRectF(head.left() + 18, head.top() + 3, title + 10, 18), theme_.inset);
    draw_sign(painter, QPointF(head.left() + 7, head.center().y()), theme_, false);
    paint::text(painter, QRectF(head.left() + 22, head.top(), title, head.height()),
                ui_font(13, 600), theme_.text1, group.title);
    QRectF place(head.left() + 30 + title, head.top(), small.horizontalAdvance(words) + 2,
                 head.height());
    words_at(place, words, theme_.text2);
    if (!group.note.isEmpty() && place.right() + graph::kNoteRoom < group.note.left())
      words_at(group.note, group.alike, theme_.text3);
  }
}

/// The same card, with two edges behind it.
void GraphView::draw_folded(QPainter& painter, Card const& card) const {
  Group const& group = made_->groups[size_t(card.fold)];
  QRectF const& box = card.box;
  bool chosen = is_chosen(card);
  painter.setPen(QPen(theme_.line2, 1));
  painter.setBrush(theme_.panel);
  painter.drawRoundedRect(box.adjusted(8, 8, 8, 8), 8, 8);
  painter.drawRoundedRect(box.adjusted(4, 4, 4, 4), 8, 8);
  painter.setPen(QPen(chosen ? theme_.ink : theme_.line3, chosen ? 2 : 1.5));
  painter.drawRoundedRect(box, 8, 8);
  draw_place(painter, card);
  draw_sign(painter, QPointF(box.left() + kPad + 7, box.top() + 18), theme_, true);
  double left = box.left() + kPad + 22;
  paint::text(painter, QRectF(left, box.top() + 6, box.right() - left - 110, 24), ui_font(13, 600),
              theme_.text1, card.title);
  paint::text(painter, QRectF(left, box.top() + graph::kHead, box.right() - left - kPad, 20),
              ui_font(11), theme_.text2, group.contents);
  draw_value(painter, card);
}

std::vector<Part> GraphView::group_parts() const {
  std::vector<Part> parts;
  for (Group const& group : made_->groups) {
    if (!group.seen()) continue;
    QRectF box = group.card >= 0 ? made_->cards[size_t(group.card)].box
                                 : QRectF(group.frame.topLeft(),
                                          QSizeF(group.frame.width(), session::kFrameHead));
    parts.push_back({QRectF(box.topLeft() * scale_ + origin_, box.size() * scale_),
                     group.title + (group.open ? ", open group, " : ", folded group, ") +
                         group.words + alike_part_words(group),
                     group.key == group_});
  }
  return parts;
}

}  // namespace tw
