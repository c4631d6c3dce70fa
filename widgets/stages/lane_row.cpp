// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/stages/lane_row.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <algorithm>

#include "widgets/moves/move_mark.h"
#include "widgets/paint/paint.h"

namespace tw {
namespace {

using session::LaneKind;
using session::LanePart;
using session::MemoryLane;

constexpr double kLeft = 16, kTop = 4, kHead = 22, kPill = 18, kStep = 21, kGap = 8, kRows = 3,
                 kLeast = 92;
constexpr double kHeight = kHead + kRows * kStep + 6;

QString loop_words(MemoryLane const& lane) {
  if (lane.kind == LaneKind::kScope) return "managed by the program";
  if (lane.reference.empty()) return "while the kernel runs";
  return "while " + QString::fromStdString(lane.reference) + " runs once";
}

QString pill_name(LanePart const& part) { return QString::fromStdString(part.tensor); }

QString bytes_words(LanePart const& part) {
  return (part.exact ? "" : QStringLiteral("≤ ")) + paint::bytes(part.bytes);
}

}  // namespace

LaneRow::LaneRow(Selection& selection, Preview preview, QWidget* parent)
    : Canvas(parent), selection_(selection), ask_(std::move(preview)) {
  setObjectName("memoryLanes");
  setAccessibleName("Memories");
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  connect(&selection_, &Selection::moves_changed, this, qOverload<>(&QWidget::update));
  rescale();
}

int LaneRow::rows() const {
  double wide = (unit_width() - 2 * kLeft + kGap) / std::max(1, lanes()) - kGap;
  return lanes() > 1 && wide < kLeast ? 2 : 1;
}

void LaneRow::rescale() {
  setFixedHeight(pixels(QSizeF(0, kTop + rows() * (kHeight + kGap))).height());
  lay_out();
}

void LaneRow::show_lanes(std::shared_ptr<session::LanesView const> lanes) {
  if (!lanes || lanes == lanes_) return;
  lanes_ = std::move(lanes);
  end_drag();
  rescale();
}

void LaneRow::forget() {
  end_drag();
  lanes_ = nullptr;
  lay_out();
}

QRectF LaneRow::lane_rect(int number) const {
  int columns = std::max(1, (lanes() + rows() - 1) / rows());
  double wide = (unit_width() - 2 * kLeft - kGap * (columns - 1)) / columns;
  return {kLeft + number % columns * (wide + kGap), kTop + number / columns * (kHeight + kGap),
          wide, kHeight};
}

void LaneRow::lay_out() {
  pills_.clear();
  hidden_.assign(size_t(lanes()), 0);
  for (int number = 0; number < lanes(); ++number) {
    QRectF box = lane_rect(number);
    int count = int(lane(number).parts.size());
    int shown = count <= kRows ? count : int(kRows) - 1;
    hidden_[size_t(number)] = count - shown;
    for (int part = 0; part < shown; ++part)
      pills_.push_back(
          {number, part,
           QRectF(box.left() + 6, box.top() + kHead + part * kStep, box.width() - 12, kPill)});
  }
  current_ = std::clamp(current_, 0, std::max(0, int(pills_.size()) - 1));
  update();
}

QColor LaneRow::colour_of(MemoryLane const& lane) const {
  if (lane.kind == LaneKind::kRegisters) return theme_.line3;
  if (lane.kind == LaneKind::kScope) return theme_.hue(1);
  if (lane.kind == LaneKind::kMain) return theme_.levels[3];
  return theme_.levels[size_t(std::clamp(lane.level, 0, 2))];
}

void LaneRow::paintEvent(QPaintEvent*) {
  UnitPainter painter(this);
  painter.fillRect(unit_rect(), theme_.panel);
  for (int number = 0; number < lanes(); ++number) draw_lane(painter, number);
  for (Pill const& pill : pills_) draw_pill(painter, pill);
  if (hasFocus() && current()) paint::focus_ring(painter, current()->rect, theme_, 5);
  if (drags_) draw_drag(painter);
}

void LaneRow::draw_lane(QPainter& painter, int number) const {
  MemoryLane const& lane = this->lane(number);
  QRectF box = lane_rect(number);
  QColor colour = colour_of(lane);
  bool lit = lane.loop >= 0 && lane.loop == selection_.lit();
  painter.setPen(QPen(lit ? theme_.ink : Theme::mix(colour, theme_.panel, 0.5), lit ? 1.5 : 1));
  painter.setBrush(Theme::mix(colour, theme_.panel, 0.09));
  painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 8, 8);
  QString name = QString::fromStdString(lane.name);
  QString room = lane.bytes > 0 ? paint::bytes(lane.bytes) : QString();
  double over = lane.bytes > 0 ? double(lane.used) / double(lane.bytes) : 0;
  bool full = over > 1 && lane.kind != LaneKind::kMain;
  if (full) room = QString::number(over, 'f', 1) + QStringLiteral("×");
  QRectF head = box.adjusted(10, 3, -10, 0);
  head.setHeight(kHead - 4);
  double right = QFontMetricsF(mono_font(11)).horizontalAdvance(room) + 6;
  QFont const font = ui_font(11.5, 600);
  paint::text(painter, head, font, Theme::mix(colour, theme_.text1, 0.45),
              QFontMetricsF(font).elidedText(name, Qt::ElideRight, head.width() - right));
  paint::text(painter, head, mono_font(11), full ? theme_.error : theme_.text2, room,
              Qt::AlignRight | Qt::AlignVCenter);
  if (int more = hidden_[size_t(number)]; more > 0)
    paint::text(
        painter,
        QRectF(box.left() + 10, box.top() + kHead + (kRows - 1) * kStep, box.width() - 20, kPill),
        ui_font(11), theme_.text2, QString("+ %1 more").arg(more));
  if (lane.parts.empty() && !drags_ && lane.kind != LaneKind::kRegisters)
    paint::text(painter, QRectF(box.left() + 10, box.top() + kHead, box.width() - 20, kPill),
                ui_font(11), theme_.text2,
                QFontMetricsF(ui_font(11))
                    .elidedText(lane.kind == LaneKind::kScope ? "empty" : "nothing more",
                                Qt::ElideRight, box.width() - 22));
}

void LaneRow::draw_pill(QPainter& painter, Pill const& pill) const {
  LanePart const& part = this->part(pill);
  MemoryLane const& lane = this->lane(pill.lane);
  QColor colour = colour_of(lane);
  painter.setPen(Qt::NoPen);
  painter.setBrush(theme_.control);
  painter.drawRoundedRect(pill.rect, 4, 4);
  double share = lane.bytes > 0 ? std::clamp(double(part.bytes) / double(lane.bytes), 0.0, 1.0) : 0;
  if (lane.kind != LaneKind::kMain) {
    QRectF filled = pill.rect;
    filled.setWidth(std::max(4.0, filled.width() * share));
    painter.setBrush(Theme::mix(colour, theme_.panel, 0.42));
    painter.drawRoundedRect(filled, 4, 4);
  }
  QString bytes = bytes_words(part);
  double wide = QFontMetricsF(mono_font(11)).horizontalAdvance(bytes);
  QRectF words = pill.rect.adjusted(8, 0, -6, 0);
  double left = words.width() - wide - 6;
  QString name = pill_name(part);
  QRectF mark = mark_of(pill);
  if (!mark.isEmpty()) {
    draw_move_mark(painter, mark, *move_of(pill), mark.contains(at_), theme_);
    left = mark.left() - words.left();  // the name has its room
  }
  if (left > 14 || !mark.isEmpty())
    paint::text(painter, words, mono_font(11, 600), theme_.text1,
                QFontMetricsF(mono_font(11, 600)).elidedText(name, Qt::ElideRight, left));
  paint::text(painter, words, mono_font(11), theme_.text1, bytes,
              Qt::AlignRight | Qt::AlignVCenter);
}

/// The lane that it would go to, the pill on its way, and what the step would do.
void LaneRow::draw_drag(QPainter& painter) const {
  if (aimed_ >= 0) {
    bool legal = !line_.empty() && !preview_.refusal;
    painter.setPen(QPen(legal ? theme_.ok : theme_.error, 1.5, Qt::DashLine));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(lane_rect(aimed_).adjusted(1, 1, -1, -1), 8, 8);
  }
  QString words = QString::fromStdString(part(pills_[size_t(pressed_)]).tensor);
  if (aimed_ >= 0 && preview_.refusal)
    words += ": " + QString::fromStdString(preview_.refusal->title);
  else if (aimed_ >= 0)
    words += (line_.empty()
                  ? ": already there"
                  : QStringLiteral(": ✓ a copy in ") + QString::fromStdString(lane(aimed_).name));
  QFont const font = mono_font(11, 600);
  double most = std::max(60.0, unit_width() - 40);
  words = QFontMetricsF(font).elidedText(words, Qt::ElideRight, most - 24);
  double wide = QFontMetricsF(font).horizontalAdvance(words) + 22;
  QRectF ghost(std::clamp(at_.x() + 12, 4.0, std::max(4.0, unit_width() - wide - 4)),
               std::clamp(at_.y() - 24, 2.0, unit_height() - 24), wide, 22);
  painter.setPen(QPen(preview_.refusal ? theme_.error : theme_.line3, 1));
  painter.setBrush(theme_.raised);
  painter.drawRoundedRect(ghost, 6, 6);
  paint::text(painter, ghost.adjusted(10, 0, 0, 0), font, theme_.text1, words);
}

int LaneRow::lane_at(QPointF at) const {
  for (int number = 0; number < lanes(); ++number)
    if (lane_rect(number).contains(at)) return number;
  return -1;
}

int LaneRow::pill_at(QPointF at) const {
  auto pill = std::ranges::find_if(pills_, [&](Pill const& one) { return one.rect.contains(at); });
  return pill == pills_.end() ? -1 : int(pill - pills_.begin());
}

session::MoveView const* LaneRow::move_of(Pill const& pill) const {
  auto is_same = [&](Pill const& one) { return part(one).tensor == part(pill).tensor; };
  bool first = &*std::ranges::find_if(pills_, is_same) == &pill;
  if (!selection_.moves() || !first) return nullptr;
  for (session::MoveView const& move : selection_.moves()->moves)
    if (move.tensor == part(pill).tensor) return is_worth_a_mark(move) ? &move : nullptr;
  return nullptr;
}

QRectF LaneRow::mark_of(Pill const& pill) const {
  session::MoveView const* move = move_of(pill);
  if (!move) return {};
  double name = QFontMetricsF(mono_font(11, 600)).horizontalAdvance(pill_name(part(pill)));
  double bytes = QFontMetricsF(mono_font(11)).horizontalAdvance(bytes_words(part(pill)));
  QRectF mark(0, pill.rect.top() + 1, mark_width(*move), pill.rect.height() - 2);
  mark.moveRight(pill.rect.right() - 12 - bytes);
  return mark.left() < pill.rect.left() + 12 + name ? QRectF() : mark;
}

LaneRow::Pill const* LaneRow::marked_at(QPointF at) const {
  auto found =
      std::ranges::find_if(pills_, [&](Pill const& one) { return mark_of(one).contains(at); });
  return found == pills_.end() ? nullptr : &*found;
}

std::optional<LaneRow::Pill> LaneRow::current() const {
  if (current_ < 0 || current_ >= int(pills_.size())) return std::nullopt;
  return pills_[size_t(current_)];
}

QString LaneRow::words_of(Pill const& pill) const {
  LanePart const& part = this->part(pill);
  return QString("%1 of %2 in %3, %4")
      .arg((part.exact ? "" : "at most ") + paint::bytes(part.bytes),
           QString::fromStdString(part.tensor), QString::fromStdString(lane(pill.lane).name),
           loop_words(lane(pill.lane)));
}

void LaneRow::mousePressEvent(QMouseEvent* event) {
  setFocus();
  press_ = at_ = event->position();
  if (Pill const* marked = marked_at(at_); marked && event->button() == Qt::LeftButton) {
    QString line = QString::fromStdString(move_of(*marked)->line);
    selection_.point_at({}, this);
    return emit step_asked(line);
  }
  int pill = pill_at(press_);
  if (pill >= 0) current_ = pill;
  pressed_ = event->button() == Qt::LeftButton ? pill : -1;
  if (int number = lane_at(press_); number >= 0 && lane(number).loop >= 0)
    selection_.select(lane(number).loop);
  update();
}

void LaneRow::mouseMoveEvent(QMouseEvent* event) {
  at_ = event->position();
  if (pressed_ >= 0 && (event->buttons() & Qt::LeftButton)) {
    drags_ = drags_ || (at_ - press_).manhattanLength() > 6;
    if (drags_) aim(lane_at(at_));
    return update();
  }
  Pill const* marked = marked_at(at_);
  session::MoveView const* move = marked ? move_of(*marked) : nullptr;
  selection_.point_at(move ? QString::fromStdString(move->line) : QString(), this);
  update();
  if (move) {
    setToolTip(paint::wrapped(mark_name(*move)));
    return setCursor(Qt::PointingHandCursor);
  }
  int pill = pill_at(at_), number = lane_at(at_);
  setCursor(pill >= 0 ? Qt::OpenHandCursor : Qt::ArrowCursor);
  setToolTip(pill < 0 ? QString()
                      : paint::wrapped(words_of(pills_[size_t(pill)]) +
                                       "\nDrag to a faster memory to copy"));
  selection_.hover(number >= 0 ? lane(number).loop : -1);
}

void LaneRow::aim(int number) {
  if (number == aimed_) return;
  aimed_ = number;
  Pill const& pill = pills_[size_t(pressed_)];
  line_ = number < 0 || number == pill.lane
              ? std::string()
              : session::line_for_drop(*lanes_, part(pill).tensor, lane(number));
  preview_ = line_.empty() ? session::StepPreview() : ask_(line_);
  selection_.point_at(preview_.refusal ? QString() : QString::fromStdString(line_), this);
}

void LaneRow::end_drag() {
  if (drags_) selection_.point_at({}, this);
  drags_ = false;
  pressed_ = aimed_ = -1;
  line_.clear();
  preview_ = {};
  update();
}

void LaneRow::mouseReleaseEvent(QMouseEvent*) {
  QString line = QString::fromStdString(line_);
  bool commit = drags_ && !line.isEmpty();
  end_drag();
  if (commit) emit step_asked(line);
}

void LaneRow::leaveEvent(QEvent*) {
  at_ = QPointF(-1, -1);
  selection_.point_at({}, this);
  selection_.hover(-1);
  update();
}

void LaneRow::keyPressEvent(QKeyEvent* event) {
  int last = int(pills_.size()) - 1;
  switch (event->key()) {
    case Qt::Key_Escape:
      return end_drag();
    case Qt::Key_Left:
    case Qt::Key_Up:
      current_ = std::max(0, current_ - 1);
      return update();
    case Qt::Key_Right:
    case Qt::Key_Down:
      current_ = std::clamp(current_ + 1, 0, std::max(0, last));
      return update();
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (auto pill = current()) emit menu_asked(mapToGlobal(pixels(pill->rect.center())));
      return;
    default:
      Canvas::keyPressEvent(event);
  }
}

void LaneRow::contextMenuEvent(QContextMenuEvent* event) {
  if (event->reason() != QContextMenuEvent::Keyboard) {
    int pill = pill_at(event->pos());
    if (pill < 0) return;
    current_ = pill;
  }
  if (auto pill = current()) emit menu_asked(mapToGlobal(pixels(pill->rect.center())));
}

std::vector<Part> LaneRow::parts() const {
  std::vector<Part> parts;
  for (int number = 0; number < lanes(); ++number) {
    MemoryLane const& lane = this->lane(number);
    parts.push_back(
        {lane_rect(number), QString("Memory %1, %2 used%3")
                                .arg(QString::fromStdString(lane.name), paint::bytes(lane.used),
                                     lane.bytes > 0 ? " of " + paint::bytes(lane.bytes) : "")});
  }
  for (size_t i = 0; i < pills_.size(); ++i)
    parts.push_back({pills_[i].rect, words_of(pills_[i]), int(i) == current_});
  for (Pill const& pill : pills_)
    if (QRectF mark = mark_of(pill); !mark.isEmpty())
      parts.push_back({mark, mark_name(*move_of(pill))});
  return parts;
}

}  // namespace tw
