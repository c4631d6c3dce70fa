// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/stages/stage_row.h"

#include <QApplication>
#include <QDrag>
#include <QKeyEvent>
#include <QMimeData>
#include <QMouseEvent>
#include <algorithm>

#include "widgets/paint/paint.h"

namespace tw {
namespace {

constexpr double kLeft = 16, kTop = 6, kCard = 42, kGap = 18, kLeast = 104, kMost = 190;

}  // namespace

StageRow::StageRow(Selection& selection, QWidget* parent) : Canvas(parent), selection_(selection) {
  setObjectName("stageRow");
  setAccessibleName("Stages");
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  connect(&selection, &Selection::changed, this, [this] { keep_in_sight(); });
  rescale();
}

void StageRow::rescale() { setFixedHeight(pixels(QSizeF(0, kTop + kCard + 6)).height()); }

void StageRow::show_nest(std::shared_ptr<session::NestView const> nest) {
  nest_ = std::move(nest);
  pressed_ = -1;
  keep_in_sight();
}

double StageRow::card_width() const {
  double room = unit_width() - 2 * kLeft - kGap * std::max(0, stages() - 1);
  return std::clamp(room / std::max(1, stages()), kLeast, kMost);
}

QRectF StageRow::card_rect(int stage) const {
  return {kLeft + stage * (card_width() + kGap) - scrolled_, kTop, card_width(), kCard};
}

int StageRow::current() const {
  if (!nest_) return -1;
  auto bar = std::ranges::find(nest_->bars, selection_.lit(), &session::LoopBar::id);
  return bar == nest_->bars.end() ? -1 : bar->stage;
}

void StageRow::keep_in_sight() {
  double all = kLeft * 2 + stages() * (card_width() + kGap) - kGap;
  double most = std::max(0.0, all - unit_width());
  if (int stage = current(); stage >= 0) {
    QRectF card = card_rect(stage);
    if (card.left() < kLeft) scrolled_ += card.left() - kLeft;
    if (card.right() > unit_width() - kLeft) scrolled_ += card.right() - unit_width() + kLeft;
  }
  scrolled_ = std::clamp(scrolled_, 0.0, most);
  update();
}

/// "at conv2d.y", "9 loops"
QString StageRow::place_words(int stage) const {
  auto const& bars = nest_->bars;
  auto first = std::ranges::find(bars, stage, &session::LoopBar::stage);
  // The bar around it is the last one before that is one level further out.
  for (auto bar = first; first != bars.end() && bar != bars.begin();)
    if ((--bar)->depth == first->depth - 1) return "at " + QString::fromStdString(bar->reference);
  QString words = QString::fromStdString(nest_->stages[size_t(stage)].summary);
  return words.section(QStringLiteral(" · "), 0, 0);
}

bool StageRow::reads(int reader, int writer) const {
  auto const& stages = nest_->stages;
  return std::ranges::any_of(nest_->tensors, [&](session::TensorCard const& tensor) {
    return std::ranges::count(tensor.writers, stages[size_t(writer)].name) > 0 &&
           std::ranges::count(tensor.readers, stages[size_t(reader)].name) > 0;
  });
}

void StageRow::paintEvent(QPaintEvent*) {
  UnitPainter painter(this);
  painter.fillRect(unit_rect(), theme_.panel);
  for (int stage = 0; stage < stages(); ++stage) {
    QRectF card = card_rect(stage);
    if (card.right() < 0 || card.left() > unit_width()) continue;
    draw_card(painter, stage);
    if (stage + 1 == stages() || !reads(stage + 1, stage)) continue;
    double x = card.right() + kGap / 2, y = card.center().y();
    painter.setPen(QPen(theme_.line3, 1.5));
    painter.drawPolyline(QPolygonF({{x - 3, y - 5}, {x + 2, y}, {x - 3, y + 5}}));
  }
  if (hasFocus() && current() >= 0) paint::focus_ring(painter, card_rect(current()), theme_, 8);
}

void StageRow::draw_card(QPainter& painter, int stage) const {
  QRectF card = card_rect(stage);
  bool active = stage == current();
  painter.setPen(QPen(active ? theme_.ink : theme_.line3, active ? 1.5 : 1));
  painter.setBrush(active ? theme_.control : theme_.raised);
  painter.drawRoundedRect(card.adjusted(0.5, 0.5, -0.5, -0.5), 8, 8);
  double wide = card.width() - 20;
  auto line = [&](double y, QFont const& font, QColor const& colour, QString const& words) {
    paint::text(painter, QRectF(card.left() + 10, y, wide, 18), font, colour,
                QFontMetricsF(font).elidedText(words, Qt::ElideMiddle, wide - 2));
  };
  line(card.top() + 4, mono_font(12, 600), theme_.text1,
       QString::fromStdString(nest_->stages[size_t(stage)].name));
  line(card.top() + 21, ui_font(11), theme_.text2, place_words(stage));
}

int StageRow::stage_at(QPointF at) const {
  for (int stage = 0; stage < stages(); ++stage)
    if (card_rect(stage).contains(at)) return stage;
  return -1;
}

void StageRow::choose(int stage) {
  if (stage < 0 || stage >= stages()) return;
  auto bar = std::ranges::find(nest_->bars, stage, &session::LoopBar::stage);
  if (bar != nest_->bars.end()) selection_.select(bar->id);
}

void StageRow::mousePressEvent(QMouseEvent* event) {
  setFocus();
  press_ = event->position();
  pressed_ = event->button() == Qt::LeftButton ? stage_at(press_) : -1;
  choose(pressed_);
}

void StageRow::mouseMoveEvent(QMouseEvent* event) {
  int stage = stage_at(event->position());
  setCursor(stage >= 0 ? Qt::OpenHandCursor : Qt::ArrowCursor);
  setToolTip(stage < 0
                 ? QString()
                 : paint::wrapped(QString::fromStdString(nest_->stages[size_t(stage)].name + ": " +
                                                         nest_->stages[size_t(stage)].output +
                                                         "\nDrag onto a loop (compute_at)")));
  bool far = (event->position() - press_).manhattanLength() > 6;
  if (pressed_ < 0 || !far || !(event->buttons() & Qt::LeftButton)) return;
  auto* drag = new QDrag(this);
  auto* carried = new QMimeData;
  carried->setData(kStageType, QByteArray::fromStdString(nest_->stages[size_t(pressed_)].name));
  drag->setMimeData(carried);
  pressed_ = -1;
  drag->exec(Qt::CopyAction);
}

void StageRow::wheelEvent(QWheelEvent* event) {
  QPoint turned = event->angleDelta();
  scrolled_ -= (turned.x() ? turned.x() : turned.y()) / 2.0;
  double all = kLeft * 2 + stages() * (card_width() + kGap) - kGap;
  scrolled_ = std::clamp(scrolled_, 0.0, std::max(0.0, all - unit_width()));
  update();
}

void StageRow::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Left) return choose(std::max(0, current() - 1));
  if (event->key() == Qt::Key_Right) return choose(std::min(stages() - 1, current() + 1));
  Canvas::keyPressEvent(event);
}

std::vector<Part> StageRow::parts() const {
  std::vector<Part> parts;
  for (int stage = 0; stage < stages(); ++stage)
    parts.push_back(
        {card_rect(stage),
         QString("Stage %1, %2")
             .arg(QString::fromStdString(nest_->stages[size_t(stage)].name), place_words(stage)),
         stage == current()});
  return parts;
}

}  // namespace tw
