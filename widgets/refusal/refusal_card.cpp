// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/refusal/refusal_card.h"

#include <QMouseEvent>
#include <QPainter>
#include <algorithm>

#include "engine/session/refusal_words.h"
#include "engine/support/base/quantities.h"
#include "widgets/paint/paint.h"
#include "widgets/refusal/conflict_picture.h"

namespace tw {
namespace {

constexpr size_t kMostRepairs = 3;  // a key each

}  // namespace

RefusalCard::RefusalCard(QWidget* parent) : Canvas(parent) {
  setObjectName("refusal");
  setAccessibleName("Refused step");
  setMouseTracking(true);
  hide();
}

void RefusalCard::show_refusal(std::shared_ptr<session::RefusalView const> view,
                               std::shared_ptr<session::NestView const> nest) {
  view_ = std::move(view);
  nest_ = std::move(nest);
  outlooks_.assign(shown_repairs(), {});
  point_at(-1);
  setVisible(view_ != nullptr);
  if (view_) {
    setAccessibleDescription(QString::fromStdString(view_->title + ". " + view_->message));
    raise();
  }
  update();
}

/// In a narrow card the words alone tell of the two.
bool RefusalCard::draws_pair(double card) const {
  constexpr double kRoom = 1000;
  return view_ && view_->conflict && card >= kRoom;
}

/// Left edges of the three columns; without a conflict the words take two. Repairs are lines of a
/// script: they keep the room that most of them need.
double RefusalCard::column(int index, double card) const {
  double inner = card - 48;
  if (index == 0) return 24;
  bool pair = draws_pair(card), narrow = card < 1100;
  if (!pair && shown_repairs() == 0) return card;  // the words have all of it
  if (index == 1 && !pair) return column(2, card);
  if (index == 1) return 24 + inner * (narrow ? 0.34 : 0.36);
  return std::min(24 + inner * (pair ? 0.70 : 0.56), card - 24 - 360);
}

/// As much as its content needs, and no more than that.
QSizeF RefusalCard::size_within(double most_wide, double most_tall) const {
  constexpr double kAlone = 480, kWords = 840, kPair = 1240, kPicture = 250;
  bool pair = draws_pair(most_wide), alone = !pair && shown_repairs() == 0;
  double wide = std::min(most_wide, pair ? kPair : alone ? kAlone : kWords);
  return {wide, std::min(std::max(height_for(wide), pair ? kPicture : 0.0) + 1, most_tall)};
}

double RefusalCard::height_for(double wide) const {
  if (!view_) return 0;
  QRectF box(0, 0, column(1, wide) - column(0, wide) - 24, 0);
  double foot = view_->condition.empty() ? 30 : 74;
  double words = 52 + lay_message(nullptr, box) + 12 + lay_dependence(nullptr, box) + foot;
  size_t repairs = shown_repairs();
  return std::max(words, repairs ? repair_rect(repairs - 1, wide).bottom() + 32 : 0.0);
}

double RefusalCard::lay_paragraph(QPainter* painter, QRectF const& box, QFont const& font,
                                  QColor const& colour, QString const& words) const {
  QRectF row(box.left(), box.top(), box.width(), 4000);
  row.setHeight(QFontMetricsF(font).boundingRect(row, Qt::TextWordWrap, words).height());
  if (painter) paint::paragraph(*painter, row, font, colour, words);
  return row.height();
}

/// What it would mean, then the exact sentences, from the top down. Their lines of code, one nest
/// below another, are in a face of equal widths. The height that is used; without a painter nothing
/// else is done.
double RefusalCard::lay_message(QPainter* painter, QRectF const& box) const {
  double y = box.top();
  QString meaning = QString::fromStdString(session::consequence_of(*view_));
  if (!meaning.isEmpty()) y += lay_paragraph(painter, box, ui_font(13), theme_.text1, meaning) + 8;
  for (QString const& line : QString::fromStdString(view_->message).split('\n')) {
    bool code = line.startsWith("    ");
    QRectF row(box.left() + (code ? 12 : 0), y, box.width() - (code ? 12 : 0), 0);
    y += lay_paragraph(painter, row,
                       code                ? mono_font(11)
                       : meaning.isEmpty() ? ui_font(12.5)
                                           : ui_font(11.5),
                       meaning.isEmpty() ? theme_.text1 : theme_.text2, line.trimmed()) +
         (code ? 3 : 5);
  }
  return y - box.top();
}

/// The element, and what the two do to it.
double RefusalCard::lay_dependence(QPainter* painter, QRectF const& box) const {
  if (!view_->conflict) return 0;
  constexpr double kHigh = 48;
  if (!painter) return kHigh + 8;
  painter->setPen(QPen(theme_.line1, 1));
  painter->setBrush(theme_.inset);
  painter->drawRoundedRect(QRectF(box.left(), box.top(), box.width(), kHigh), 6, 6);
  auto line = [&](double y, QFont const& font, QColor const& colour, QString const& words) {
    double wide = box.width() - 24;
    paint::text(*painter, QRectF(box.left() + 12, box.top() + y, wide, 18), font, colour,
                QFontMetricsF(font).elidedText(words, Qt::ElideRight, wide));
  };
  line(6, mono_font(12, 600), theme_.text1, QString::fromStdString(view_->conflict->element));
  line(25, mono_font(11.5), theme_.text2, QString::fromStdString(session::dependence_of(*view_)));
  return kHigh + 8;
}

void RefusalCard::paintEvent(QPaintEvent*) {
  if (!view_) return;
  UnitPainter painter(this);
  painter.setPen(QPen(theme_.line2, 1));
  painter.setBrush(theme_.raised);
  painter.drawRoundedRect(unit_rect().adjusted(0.5, 0.5, -0.5, -0.5), 8, 8);
  painter.setPen(Qt::NoPen);
  painter.setBrush(view_->undecided ? theme_.warn : theme_.error);
  painter.drawRoundedRect(QRectF(0, 0, unit_width(), 4), 2, 2);
  draw_words(painter);
  if (draws_pair(unit_width())) {
    constexpr double kWidest = 620;  // the two and their element belong together
    QRectF room(column(1), 46, std::min(column(2) - column(1) - 28, kWidest),
                unit_height() - 46 - 34);
    paint::text(painter, QRectF(room.left(), 18, room.width(), 22), ui_font(12, 600), theme_.text1,
                "Two iterations that conflict");
    draw_conflict(painter, room, *view_->conflict, nest_.get(), stage_of_culprit(), theme_);
  }
  draw_repairs(painter);
  draw_close(painter);
}

void RefusalCard::draw_close(QPainter& painter) const {
  QColor colour = closing_ ? theme_.text1 : theme_.text2;
  paint::text(painter, QRectF(unit_width() - 320, unit_height() - 26, 300, 18), ui_font(11),
              closing_ ? theme_.text1 : theme_.text3, "Esc closes this card · nothing was changed",
              Qt::AlignRight | Qt::AlignVCenter);
  QRectF cross = close_rect().adjusted(8, 8, -8, -8);
  painter.setPen(QPen(colour, 1.5));
  painter.drawLine(cross.topLeft(), cross.bottomRight());
  painter.drawLine(cross.topRight(), cross.bottomLeft());
}

void RefusalCard::draw_words(QPainter& painter) const {
  double left = column(0), wide = column(1) - left - 24;
  QColor status = view_->undecided ? theme_.warn : theme_.error;
  painter.setPen(Qt::NoPen);
  painter.setBrush(status);
  painter.drawEllipse(QPointF(left + 8, 30), 8, 8);
  painter.setPen(QPen(theme_.raised, 2));
  painter.drawLine(QPointF(left + 4.5, 33.5), QPointF(left + 11.5, 26.5));
  paint::text(painter, QRectF(left + 26, 18, wide - 26, 24), ui_font(15, 600), theme_.text1,
              QString::fromStdString(view_->title));
  QRectF box(left, 52, wide, unit_height() - 52 - 74);
  double used = lay_message(&painter, box) + 4;
  used += lay_dependence(&painter, box.adjusted(0, used, 0, 0));
  if (view_->condition.empty()) return;
  double y = std::min(box.top() + used + 8, unit_height() - 66);
  paint::text(painter, QRectF(left, y, wide, 16), ui_font(11), theme_.text3,
              "Condition that does not hold");
  paint::paragraph(painter, QRectF(left, y + 18, wide, unit_height() - y - 22), ui_font(12),
                   theme_.text2, QString::fromStdString(view_->condition));
}

int RefusalCard::stage_of_culprit() const {
  if (!nest_ || view_->culprits.empty()) return -1;
  auto bar = std::ranges::find(nest_->bars, view_->culprits.front(), &session::LoopBar::id);
  return bar == nest_->bars.end() ? -1 : bar->stage;
}

void RefusalCard::look_ahead(
    std::function<std::shared_ptr<session::Outlook const>(std::string const&)> const& ask) {
  for (size_t i = 0; i < outlooks_.size(); ++i) {
    if (outlooks_[i] && outlooks_[i]->gain() > 0) continue;  // else the roofs may come to be known
    auto outlook = ask(view_->repairs[i].step);
    if (!outlook) return;  // one is worked on at a time
    outlooks_[i] = std::move(outlook);
    update();
  }
}

/// " · ○ 1.96 times faster": hollow, as all that is modelled.
QString RefusalCard::worth_of(size_t repair) const {
  auto const& outlook = outlooks_[repair];
  if (!outlook || outlook->gain() <= 0) return {};
  return QStringLiteral(" · ○ ") + QString::fromStdString(speedup_text(outlook->gain()));
}

/// The steps of a repair: in one line where they fit it, else each in its own.
QString RefusalCard::steps_of(size_t index, double wide) const {
  QString steps = QString::fromStdString(view_->repairs[index].step);
  if (QFontMetricsF(mono_font(12, 600)).horizontalAdvance(steps) > wide) steps.replace("; ", ";\n");
  return steps;
}

/// Of the repair's box in a card: below the ones before it, as high as its steps need.
QRectF RefusalCard::repair_rect(size_t index, double card) const {
  double wide = card - column(2, card) - 24, top = 46, height = 0;
  for (size_t i = 0; i <= index; ++i) {
    top += i > 0 ? height + 6 : 0;
    QRectF const room(0, 0, wide - 44, 4000);
    height = 32 + QFontMetricsF(mono_font(12, 600))
                      .boundingRect(room, Qt::TextWordWrap, steps_of(i, room.width()))
                      .height();
  }
  return QRectF(column(2, card), top, wide, height);
}

size_t RefusalCard::shown_repairs() const {
  return view_ ? std::min<size_t>(view_->repairs.size(), kMostRepairs) : 0;
}

void RefusalCard::draw_repairs(QPainter& painter) const {
  if (column(2) >= unit_width())
    return paint::text(painter, QRectF(24, unit_height() - 26, 150, 18), ui_font(11), theme_.text3,
                       "No repair was found");
  double left = column(2), wide = unit_width() - left - 24;
  paint::text(painter, QRectF(left, 18, wide, 22), ui_font(12, 600), theme_.text1,
              view_->repairs.empty() ? "No repair was found" : "Legal steps instead");
  if (!view_->repairs.empty())
    paint::text(painter, QRectF(left, 18, wide - 16, 22), ui_font(11), theme_.text3,
                shown_repairs() > 1 ? QString("press 1 to %1").arg(shown_repairs()) : "press 1",
                Qt::AlignRight | Qt::AlignVCenter);
  for (size_t i = 0; i < shown_repairs(); ++i) {
    QRectF box = repair_rect(i, unit_width());
    painter.setPen(QPen(i == 0 ? theme_.ink : theme_.line3, i == 0 ? 1.5 : 1));
    painter.setBrush(int(i) == pointed_ ? theme_.hover : theme_.control);
    painter.drawRoundedRect(box, 6, 6);
    paint::text(painter, QRectF(box.left() + 10, box.top() + 6, 18, 18), mono_font(11),
                theme_.text3, QString::number(i + 1), Qt::AlignCenter);
    QRectF steps = box.adjusted(34, 6, -10, -26),
           below(steps.left(), box.bottom() - 24, steps.width(), 18);
    paint::paragraph(painter, steps, mono_font(12, 600), theme_.text1, steps_of(i, steps.width()));
    QFont const small = ui_font(11);
    QFontMetricsF const metrics(small);
    QString gain = worth_of(i), effect = QString::fromStdString(view_->repairs[i].effect);
    double room = below.width() - metrics.horizontalAdvance(gain);
    // Every repair is legal, so its sign says it where the effect takes the room for the words.
    QString legal = QStringLiteral("✓ legal, proved");
    if (metrics.horizontalAdvance(effect + legal) + 12 > room) legal = QStringLiteral("✓");
    paint::text(painter, below, small, theme_.ok, legal);
    effect =
        metrics.elidedText(effect, Qt::ElideRight, room - metrics.horizontalAdvance(legal) - 10);
    paint::text(painter, below, small, theme_.text2, effect + gain,
                Qt::AlignRight | Qt::AlignVCenter);
  }
}

int RefusalCard::repair_at(QPointF at) const {
  for (size_t i = 0; i < shown_repairs(); ++i)
    if (repair_rect(i, unit_width()).contains(at)) return int(i);
  return -1;
}

/// The cross, or the line that says which key closes it.
bool RefusalCard::closes_at(QPointF at) const {
  return close_rect().contains(at) ||
         QRectF(unit_width() - 260, unit_height() - 28, 240, 22).contains(at);
}

void RefusalCard::mousePressEvent(QMouseEvent* event) {
  QPointF at = event->position();
  if (closes_at(at)) return emit dismissed();
  if (int repair = repair_at(at); repair >= 0)
    emit repair_chosen(QString::fromStdString(view_->repairs[size_t(repair)].step));
}

/// Where it leads is seen in the other views.
void RefusalCard::point_at(int repair) {
  if (repair == pointed_) return;
  pointed_ = repair;
  emit repair_pointed_at(repair < 0 ? QString()
                                    : QString::fromStdString(view_->repairs[size_t(repair)].step));
  update();
}

void RefusalCard::mouseMoveEvent(QMouseEvent* event) {
  QPointF at = event->position();
  if (closes_at(at) != closing_) update();
  closing_ = closes_at(at);
  point_at(repair_at(at));
  setCursor(closing_ || pointed_ >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
}
void RefusalCard::leaveEvent(QEvent*) {
  closing_ = false;
  point_at(-1);
  update();
}
void RefusalCard::hideEvent(QHideEvent*) { point_at(-1); }

}  // namespace tw
