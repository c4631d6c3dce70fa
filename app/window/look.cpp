// SPDX-License-Identifier: GPL-3.0-or-later
// How the window looks and where its parts are: theme, size of the text, the room that it has.
#include <QApplication>
#include <QPalette>
#include <QScreen>
#include <QSettings>
#include <QSplitter>
#include <QTabWidget>
#include <QTimer>
#include <QToolTip>
#include <algorithm>

#include "app/shared/journal/present.h"
#include "app/window/main_window.h"
#include "app/window/pane_rail.h"
#include "app/window/pane_window.h"
#include "widgets/error_card/error_card.h"
#include "widgets/focus/focus_ring.h"
#include "widgets/start/start_page.h"

namespace tw {

namespace {

constexpr QSize kLeast{960, 620}, kUnknown{1440, 900};
constexpr int kPresenterScale = 150;  // percent

}  // namespace

/// A screen has a size; one that says nothing is no reason for a window without one.
QSize MainWindow::room() const {
  QSize room = screen() ? screen()->availableSize() : QSize();
  return room.width() < 200 || room.height() < 200 ? kUnknown : room;
}

void MainWindow::set_theme(QString const& name) {
  theme_name_ = name;
  theme_ = Theme::load(name);
  theme_.scale = scale_ / 100.0;
  QToolTip::setFont(ui_font(theme_.px(12)));
  qApp->setStyleSheet(theme_.style_sheet());
  QPalette palette;
  palette.setColor(QPalette::Window, theme_.panel);
  palette.setColor(QPalette::Base, theme_.inset);
  palette.setColor(QPalette::Text, theme_.text1);
  palette.setColor(QPalette::WindowText, theme_.text1);
  palette.setColor(QPalette::PlaceholderText, theme_.text3);
  qApp->setPalette(palette);
  for (Canvas* canvas : std::initializer_list<Canvas*>{top_, card_}) canvas->set_theme(theme_);
  start_->set_theme(theme_);
  for (Placed const& placed : panes_) placed.pane->set_theme(theme_);
  for (PaneRail* rail : {left_rail_, right_rail_, below_rail_}) rail->set_theme(theme_);
  ring_->set_theme(theme_);
  second_->set_theme(theme_);
  error_card_->set_theme(theme_);
  tabs_[PanePlace::kLeft]->setMinimumWidth(theme_.px(276));
  setMinimumSize(QSize(theme_.px(kLeast.width()), theme_.px(kLeast.height())).boundedTo(room()));
  show_errors();
}

// ---- the size of the text -------------------------------------------------------------------

void MainWindow::set_text_scale(int percent) {
  Quiet quiet(depth_);
  scale_ = percent;
  set_theme(theme_name_);
  arrange();
  place_card();
  place_error();
  show_status(snapshot_);
}

Status MainWindow::run(journal::ScaleText const& action) {
  if (action.percent < kLeastScale || action.percent > kMostScale)
    return bad_input("unusable_scale", "the text scale is " + std::to_string(kLeastScale) + " to " +
                                           std::to_string(kMostScale) + " percent, not " +
                                           std::to_string(action.percent));
  QSettings(settings_file(), QSettings::IniFormat).setValue("scale", action.percent);
  scale_before_ = 0;  // what one chooses oneself stays
  set_text_scale(action.percent);
  note(QString("Text scale: %1 %").arg(action.percent));
  return {};
}

/// For as long as one presents: the next start has the scale that was chosen.
Status MainWindow::run(journal::Present const& action) {
  bool on = action.state == "on";
  if (on == (scale_before_ != 0)) return {};
  int percent = on ? std::max(kPresenterScale, scale_) : scale_before_;
  scale_before_ = on ? scale_ : 0;
  if (on) looked_before_ = pane_sizes();
  QSize before = size();
  set_text_scale(percent);
  if (on) {
    grown_ = {before, size()};
  } else {
    // Large text needs a larger window: unless one has pulled at it since, it is as it was.
    Quiet quiet(depth_);
    if (size() == grown_.second) resize(grown_.first);
    if (size() == grown_.first)
      for (auto const& [panes, sizes] : looked_before_)
        (void)run(journal::ArrangePanes{panes, sizes});
  }
  note(QString(on ? "Presenter scale: %1 %" : "Text scale: %1 %").arg(percent));
  return {};
}

void MainWindow::build_presenter_actions() {
  add_command({.section = section_,
               .name = "Presenter scale",
               .keys = "F9",
               .run = [this] { show_action(journal::Present{scale_before_ == 0 ? "on" : "off"}); },
               .also = "text 150 % beamer projector"});
}

void MainWindow::step_text_scale(int direction) {
  static std::vector<int> const kSteps{80, 90, 100, 110, 125, 150, 175, 200};
  auto at = std::ranges::lower_bound(kSteps, scale_) - kSteps.begin();
  at = std::clamp<std::ptrdiff_t>(at + direction, 0, std::ptrdiff_t(kSteps.size()) - 1);
  show_action(journal::ScaleText{direction == 0 ? 100 : kSteps[size_t(at)]});
}

// ---- the room -------------------------------------------------------------------------------

/// A small one above the lower views, at the right, where it covers neither the history nor the
/// loops that most refusals speak of; one that would cover most of the loops below them.
void MainWindow::place_card() {
  constexpr int kEdge = 24, kAbove = 12, kLoops = 200;
  QWidget* home = card_->parentWidget();
  QSizeF most(home->width() - 2 * kEdge, home->height() - 40);
  int floor = home->height() - 20;
  int lower = lower_->isVisible() ? lower_->mapTo(home, QPoint(0, 0)).y() - kAbove : floor;
  auto size_in = [&](double wide) {
    QSizeF units = card_->size_within(wide / theme_.scale, most.height() / theme_.scale);
    return (units * theme_.scale).toSize();
  };
  // Above the views below, which show where a repair leads, with room for the loop it speaks of.
  auto is_small = [&](QSize size) {
    return size.width() <= home->width() * 7 / 10 && size.height() <= lower - kLoops * theme_.scale;
  };
  QSize size = size_in(most.width());
  if (QSize narrow = size_in(home->width() * 7 / 10); !is_small(size) && is_small(narrow))
    size = narrow;
  int bottom = is_small(size) ? lower : floor;
  card_->setGeometry(home->width() - kEdge - size.width(), bottom - size.height(), size.width(),
                     size.height());
}

/// The card covers the lower part: the loop that it speaks of moves above it.
void MainWindow::show_refused_loop() {
  QTimer::singleShot(0, this, [this] {
    if (!snapshot_.refusal || snapshot_.refusal->culprits.empty()) return;
    int covered = card_->mapToGlobal(QPoint(0, 0)).y();
    for (Placed const& placed : panes_)
      placed.pane->bring_above(snapshot_.refusal->culprits.front(), covered);
  });
}

}  // namespace tw
