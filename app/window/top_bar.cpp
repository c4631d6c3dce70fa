// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/top_bar.h"

#include <QMouseEvent>
#include <QPainter>
#include <algorithm>

#include "engine/session/spread_words.h"
#include "engine/support/base/quantities.h"
#include "widgets/paint/paint.h"
#include "widgets/start/search_field.h"

namespace tw {

using session::HistoryNodeView;
using session::Verdict;

namespace {

constexpr double kLeastNames = 160;  // where they end at least
constexpr double kAllActions = 900;  // from this width on
constexpr double kRoomForLoad = 1500;

/// The widest of what `spread_words` says: digits are not all as wide.
QString longest_spread() {
  QFontMetricsF const metrics(ui_font(11));
  QString longest = "1 sample";
  for (char const* pattern : {"±00.0 %", "to 00.0 ms", "to 00.0 µs"})
    for (char digit = '0'; digit <= '9'; ++digit) {
      QString other = QString::fromUtf8(pattern).replace('0', digit);
      if (metrics.horizontalAdvance(other) > metrics.horizontalAdvance(longest)) longest = other;
    }
  return longest;
}

}  // namespace

TopBar::TopBar(QWidget* parent)
    : Canvas(parent),
      home_(new QPushButton(this)),
      machine_(new QPushButton(this)),
      target_(new QPushButton(this)),
      search_(new SearchField),
      keys_(new QPushButton("?", this)),
      theme_button_(new QPushButton(QStringLiteral("◐"), this)),
      export_(new QPushButton("Export", this)),
      tune_(new QPushButton("Tune", this)) {
  setObjectName("topBar");
  setAccessibleName("Summary");
  home_->setObjectName("home");
  home_->setAccessibleName("Close the model");
  home_->setToolTip("Close the model and go to the start page (Ctrl+W)");
  home_->setStyleSheet("QPushButton { background: transparent; border: none; }");
  machine_->setObjectName("machinePill");
  target_->setObjectName("targetPill");
  for (QPushButton* pill : {machine_, target_}) {
    pill->setToolTip("Devices, their state and their roofs (Ctrl+Shift+D)");
    connect(pill, &QPushButton::clicked, this, &TopBar::devices_asked);
  }
  connect(home_, &QPushButton::clicked, this, &TopBar::home_asked);
  build_start();
  build_actions();
  rescale();
}

/// What stands there while no model is open.
void TopBar::build_start() {
  search_->setParent(this);
  keys_->setObjectName("keys");
  keys_->setAccessibleName("Keys");
  keys_->setToolTip("All keys (?)");
  theme_button_->setObjectName("switchTheme");
  theme_button_->setAccessibleName("Switch theme");
  theme_button_->setToolTip("Switch to the next theme (Ctrl+T)");
  for (QPushButton* button : {keys_, theme_button_}) button->setProperty("quiet", true);
  connect(search_, &QPushButton::clicked, this, &TopBar::palette_asked);
  connect(keys_, &QPushButton::clicked, this, &TopBar::keys_asked);
  connect(theme_button_, &QPushButton::clicked, this, &TopBar::theme_asked);
}

/// What everybody wants in the end, where the eye is: neither needs a key that one must know.
void TopBar::build_actions() {
  export_->setObjectName("exportModel");
  export_->setToolTip("The model or the kernel as a folder that runs alone (Ctrl+Shift+E)");
  tune_->setObjectName("tuneKernel");
  tune_->setToolTip("Search for a faster schedule of this kernel (Ctrl+Shift+U)");
  tune_->setProperty("primary", true);
  connect(export_, &QPushButton::clicked, this, &TopBar::export_asked);
  connect(tune_, &QPushButton::clicked, this, &TopBar::tune_asked);
}

void TopBar::set_theme(Theme const& theme) {
  Canvas::set_theme(theme);
  search_->set_theme(theme);
  fit();
}

void TopBar::rescale() {
  setFixedHeight(theme_.px(kHeight));
  home_->setGeometry(pixels(QRectF(8, 8, 32, 32)));
}

HistoryNodeView const* TopBar::node() const {
  return snapshot_.history ? &snapshot_.history->nodes[size_t(snapshot_.history->current)]
                           : nullptr;
}

void TopBar::show_snapshot(session::Snapshot const& snapshot) {
  snapshot_ = snapshot;
  if (snapshot_.machine) {
    machine_->setText(QString::fromStdString(snapshot_.machine->name));
    target_->setText(QString::fromStdString(snapshot_.machine->target));
  }
  QStringList words;
  for (Piece const& piece : pieces()) words.prepend(piece.words);
  setAccessibleDescription(words.join(" "));
  setToolTip(explanation());
  fit();
}

void TopBar::show_baseline(QString const& words, QString const& explanation) {
  if (words == baseline_ && explanation == baseline_explained_) return;
  baseline_ = words;
  baseline_explained_ = explanation;
  show_snapshot(session::Snapshot(snapshot_));
}

void TopBar::resizeEvent(QResizeEvent*) { fit(); }

/// Where there is no room for all of it, the picture of a number goes before the words do.
void TopBar::fit() {
  place_actions();
  pieces_ = in_their_places(pieces());
  auto drop_while_short_of = [&](double name_end, std::initializer_list<Slot> these) {
    for (Slot slot : these) {
      double room = right_ - name_end;
      for (Piece const& piece : pieces_) room -= piece.wide + piece.gap;
      if (room < 0) std::erase_if(pieces_, [&](Piece const& one) { return one.slot == slot; });
    }
  };
  drop_while_short_of(end_of_name(), {Slot::kShare, Slot::kBaseline});  // History has the second
  // Then the name is cut in its middle; with large text in a small window more words go.
  drop_while_short_of(kLeastNames, {Slot::kRoof, Slot::kUnit, Slot::kVerdict});
  place_pills();
  place_start();
  update();
}

/// What is not known for a moment leaves its place empty: nothing moves when a measurement starts.
std::vector<TopBar::Piece> TopBar::in_their_places(std::vector<Piece> pieces) {
  QString of = snapshot_.history && snapshot_.kernels && snapshot_.kernel >= 0
                   ? QString::fromStdString(snapshot_.kernels->rows[size_t(snapshot_.kernel)].name +
                                            " on " + snapshot_.history->device) +
                         QString(" at %1").arg(unit())
                   : QString();
  if (of != places_of_) places_.clear();
  if (baseline_.isEmpty()) places_.erase(Slot::kBaseline);
  places_of_ = of;
  for (Piece& piece : pieces) {
    auto& [wide, gap] = places_[piece.slot];
    wide = piece.wide = std::max(wide, piece.wide);
    gap = piece.gap;
  }
  std::vector<Piece> all;
  for (auto const& [slot, place] : places_) {
    auto known = std::ranges::find(pieces, slot, &Piece::slot);
    all.push_back(known != pieces.end()
                      ? *known
                      : Piece{.slot = slot, .wide = place.first, .gap = place.second});
  }
  return all;
}

double TopBar::end_of_name() const {
  if (!snapshot_.model) return 200;
  double model =
      QFontMetricsF(ui_font(13)).horizontalAdvance(QString::fromStdString(snapshot_.model->name));
  if (snapshot_.kernel < 0 || !snapshot_.kernels) return 74 + model;
  auto const& name = snapshot_.kernels->rows[size_t(snapshot_.kernel)].name;
  return 90 + model +
         QFontMetricsF(mono_font(13, 600)).horizontalAdvance(QString::fromStdString(name));
}

/// They stand left of the numbers, as far as there is room beside the name of the kernel. Where
/// there is room for one, it says whose numbers these are.
void TopBar::place_pills() {
  double right = right_;
  for (Piece const& piece : pieces_) right -= piece.wide + piece.gap;
  auto wide = [this](QPushButton* pill) {
    return QFontMetricsF(ui_font(12)).horizontalAdvance(pill->text()) + 26;
  };
  double room = snapshot_.model && snapshot_.machine ? right - end_of_name() : 0;
  bool machine = wide(machine_) < room;
  bool target = wide(target_) + (machine ? wide(machine_) + 8 : 0) < room;
  machine_->setVisible(machine);
  target_->setVisible(target);
  for (QPushButton* pill : {target_, machine_}) {
    if (pill == machine_ ? !machine : !target) continue;
    pill->setGeometry(pixels(QRectF(right - wide(pill), 10, wide(pill), 28)));
    right -= wide(pill) + 8;
  }
  name_right_ = right - 12;
}

/// The field stands in the middle, or right of the name in a narrow window.
void TopBar::place_start() {
  double right = unit_width() - 12;
  for (QPushButton* button : {theme_button_, keys_}) {
    button->setVisible(!snapshot_.model);
    button->setGeometry(pixels(QRectF(right - 36, 10, 36, 28)));
    right -= 40;
  }
  if (snapshot_.model) return;
  constexpr double kNameEnd = 140;
  double wide = std::min(SearchField::kWidth, right - kNameEnd - 12);
  search_->setVisible(wide >= SearchField::kLeast);
  if (wide < SearchField::kLeast) return;
  double left = std::clamp((unit_width() - wide) / 2, kNameEnd, right - 12 - wide);
  search_->setGeometry(pixels(QRectF(left, 10, wide, SearchField::kHeight)));
}

/// Where the bar is narrow the numbers go before them, and the palette has both.
void TopBar::place_actions() {
  right_ = unit_width() - 16;
  bool all = snapshot_.model && unit_width() >= kAllActions;
  for (QPushButton* button : {tune_, export_}) {
    button->setVisible(all);
    if (!all) continue;
    double wide = QFontMetricsF(ui_font(12, 600)).horizontalAdvance(button->text()) + 28;
    button->setGeometry(pixels(QRectF(right_ - wide, 10, wide, 28)));
    right_ -= wide + 8;
  }
  if (!snapshot_.model) return;
  search_->setVisible(true);
  search_->setGeometry(
      pixels(QRectF(right_ - SearchField::kSmall, 10, SearchField::kSmall, SearchField::kHeight)));
  right_ -= SearchField::kSmall + 12;
}

/// What the bar says about the current step, from the right to the left. Numbers have the room of
/// the longest that is likely, so that another one moves nothing.
std::vector<TopBar::Piece> TopBar::pieces() const {
  std::vector<Piece> list;
  HistoryNodeView const* step = node();
  if (!step) return list;
  auto add = [&](Slot slot, QString const& words, QFont const& font, QColor const& colour,
                 double gap, QString const& longest = {}) {
    if (words.isEmpty()) return;
    QFontMetricsF const metrics(font);
    double wide = std::max(metrics.horizontalAdvance(words), metrics.horizontalAdvance(longest));
    list.push_back({slot, words, font, colour, wide + 5, gap});
  };
  if (auto const& roof = snapshot_.history->roof; step->fraction_of_roof) {
    QString of = QString::fromStdString(" of " + roof->words);
    add(Slot::kRoof, QString::fromStdString(percent_text(*step->fraction_of_roof)) + of,
        ui_font(12), theme_.text2, 10, "100 %" + of);
    list.push_back({Slot::kShare, {}, {}, {}, 90, 16, *step->fraction_of_roof});
  }
  bool wrong = step->verdict == Verdict::kWrong, lost = !step->failure.empty();
  if (step->speed && !wrong && !lost) {
    QString unit = QString::fromStdString(snapshot_.history->unit) + "  ";
    // Its place is kept where there is room: it comes and goes with what others do.
    if (step->disturbed || unit_width() >= kRoomForLoad) {
      add(Slot::kLoad, QStringLiteral("▲ other load"), ui_font(11, 500), theme_.warn, 18);
      if (!step->disturbed) list.back().words.clear();
    }
    std::string spread = step->min_ms ? session::spread_words(*step->min_ms, step->spread) : "";
    add(Slot::kUnit, unit + QString::fromStdString(spread), ui_font(11), theme_.text2, 2,
        unit + longest_spread());
  }
  // Where nothing runs, the model's number stands, hollow as everywhere.
  bool modelled = !step->speed && !lost && step->model_gflops && snapshot_.machine &&
                  !snapshot_.machine->attached;
  if (modelled) add(Slot::kUnit, QStringLiteral("GFLOP/s, modelled"), ui_font(11), theme_.text2, 2);
  add(Slot::kNumber,
      wrong || lost ? QStringLiteral("no result")
      : step->speed ? paint::number(*step->speed)
      : modelled    ? QStringLiteral("○ ") + paint::number(*step->model_gflops)
                    : QStringLiteral("·"),
      ui_font(22, 600),
      step->measuring ? theme_.text3
      : wrong         ? theme_.error
                      : theme_.text1,
      8, "000.0");
  add(Slot::kBaseline, baseline_, mono_font(12, 500), theme_.text1, 18, "as fast as baseline");
  static QString const kWords[] = {"", QStringLiteral("◐ Checking"), QStringLiteral("✓ Correct"),
                                   QStringLiteral("✕ Wrong")};
  QColor const colours[] = {theme_.text3, theme_.text2, theme_.ok, theme_.error};
  if (lost)
    add(Slot::kVerdict, QStringLiteral("▲ Not measured"), ui_font(13, 500), theme_.warn, 18);
  else
    add(Slot::kVerdict, kWords[size_t(step->verdict)], ui_font(13, 500),
        colours[size_t(step->verdict)], 18, kWords[1]);
  return list;
}

QString TopBar::explanation() const {
  HistoryNodeView const* step = node();
  if (!step || !step->min_ms) return {};
  QString words = QString::fromStdString(milliseconds_text(*step->min_ms)) + " on " +
                  QString::fromStdString(snapshot_.history->device);
  if (auto const& roof = snapshot_.history->roof)
    words += QString(
                 "\n"
                 "At best %1: %2 on %3, the data (%4) fits in %5")
                 .arg(QString::fromStdString(milliseconds_text(roof->ms)),
                      QString::fromStdString(roof->words),
                      QString::fromStdString(count_text(roof->cores, "core")),
                      paint::bytes(int64_t(roof->bytes)), QString::fromStdString(roof->level));
  if (step->disturbed)
    words +=
        "\n"
        "Measured while other programs used the processor; it is measured again when the machine "
        "is idle";
  if (!baseline_explained_.isEmpty()) words += "\n" + baseline_explained_;
  return words;
}

void TopBar::draw_place(QPainter& painter) const {
  QColor const squares[] = {theme_.hue(0), theme_.text2, theme_.text2, theme_.hue(0)};
  for (int i = 0; i < 4; ++i) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(squares[i]);
    painter.drawRoundedRect(QRectF(16 + 10 * (i % 2), 15 + 10 * (i / 2), 8, 8), 2, 2);
  }
  if (!snapshot_.model)
    return paint::text(painter, QRectF(48, 0, 200, 48), ui_font(13, 600), theme_.text1,
                       "Tilewright");
  draw_names(painter);
}

/// Of both names the model's goes first, then the kernel's is cut in its middle: kernels differ at
/// their ends.
void TopBar::draw_names(QPainter& painter) const {
  QFontMetricsF const plain(ui_font(13)), strong(mono_font(13, 600));
  bool has_kernel = snapshot_.kernel >= 0 && snapshot_.kernels;
  QString model = QString::fromStdString(snapshot_.model->name);
  double left = 48, room = std::max(60.0, name_right_ - left);
  double wide = plain.horizontalAdvance(model);
  if (!has_kernel)
    return paint::text(painter, QRectF(left, 0, room, 48), ui_font(13), theme_.text2,
                       plain.elidedText(model, Qt::ElideMiddle, room - 2));
  QString kernel = QString::fromStdString(snapshot_.kernels->rows[size_t(snapshot_.kernel)].name);
  double needed = std::min(110.0, strong.horizontalAdvance(kernel) + 2);
  if (room - wide - 26 >= needed) {
    paint::text(painter, QRectF(left, 0, wide + 2, 48), ui_font(13), theme_.text2, model);
    paint::text(painter, QRectF(left + wide + 6, 0, 14, 48), ui_font(13), theme_.text3,
                QStringLiteral("›"), Qt::AlignCenter);
    left += wide + 26;
    room -= wide + 26;
  }
  room = std::min(room, 460.0);
  paint::text(painter, QRectF(left, 0, room, 48), mono_font(13, 600), theme_.text1,
              strong.elidedText(kernel, Qt::ElideMiddle, room - 2));
}

void TopBar::paintEvent(QPaintEvent*) {
  UnitPainter painter(this);
  painter.fillRect(unit_rect(), theme_.panel);
  painter.fillRect(QRectF(0, unit_height() - 1, unit_width(), 1), theme_.line1);
  draw_place(painter);
  double right = right_;
  for (Piece const& piece : pieces_) {
    QRectF box(right - piece.wide, 0, piece.wide, 48);
    if (piece.slot == Slot::kShare) {
      if (piece.share < 0) {
        right -= piece.wide + piece.gap;
        continue;
      }
      QRectF track(box.left(), 21, 90, 6);
      painter.setPen(Qt::NoPen);
      painter.setBrush(theme_.control);
      painter.drawRoundedRect(track, 3, 3);
      painter.setBrush(theme_.ink);
      track.setWidth(track.width() * std::clamp(piece.share, 0.01, 1.0));
      painter.drawRoundedRect(track, 3, 3);
    } else {
      // Small words stand on the base line of the large number.
      double drop = piece.font.pixelSize() < 12 ? 4 : 0;
      bool number = piece.slot == Slot::kNumber;  // it stands at its unit
      paint::text(painter, box.translated(0, drop), piece.font, piece.colour, piece.words,
                  (number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    }
    right -= piece.wide + piece.gap;
  }
}

}  // namespace tw
