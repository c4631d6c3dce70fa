// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/parts/look.h"

#include <QApplication>
#include <QPalette>
#include <QScreen>
#include <QSettings>
#include <QSplitter>
#include <QToolTip>
#include <algorithm>

#include "app/shared/journal/present.h"
#include "app/window/folding_panes.h"
#include "app/window/parts/performer.h"

namespace tw {
namespace {

constexpr QSize kLeast{960, 620}, kUnknown{1440, 900};
constexpr int kPresenterScale = 150;  // percent

}  // namespace

Look::Look(QMainWindow& window, Workbench& bench, Performer& performer, Theme& theme)
    : window_(window), bench_(bench), performer_(performer), theme_(theme) {
  bench_.on<journal::SetTheme>(
      [this](journal::SetTheme const& action) { return choose_theme(action.theme); });
  bench_.on<journal::ScaleText>(
      [this](journal::ScaleText const& action) { return choose_scale(action.percent); });
  bench_.on<journal::Present>(
      [this](journal::Present const& action) { return present(action.state == "on"); });
}

void Look::restore() {
  QSettings settings(bench_.settings_file(), QSettings::IniFormat);
  scale_ = std::clamp(settings.value("scale", 100).toInt(), kLeastScale, kMostScale);
  QString theme = settings.value("theme", "dark").toString();
  set_theme(Theme::names().contains(theme) ? theme : "dark");
  if (name_ != theme) bench_.say("There is no theme '" + theme + "'; this one is dark");
}

void Look::add_commands(QString const& section) {
  auto add = [this, &section](QString name, QString keys, std::function<void()> run,
                              QString also = {}) {
    bench_.add_command({.section = section,
                        .name = std::move(name),
                        .keys = std::move(keys),
                        .run = std::move(run),
                        .also = std::move(also)});
  };
  for (auto const& [name, theme] : {std::pair{"Dark theme", "dark"},
                                    {"Light theme", "light"},
                                    {"High contrast theme", "high-contrast"}})
    add(name, "", [this, theme] { bench_.ask(journal::SetTheme{theme}); });
  add("Switch theme", "Ctrl+T", [this] {
    bench_.ask(journal::SetTheme{name_ == "dark"    ? "light"
                                 : name_ == "light" ? "high-contrast"
                                                    : "dark"});
  });
  add("Commands", "Ctrl+Shift+P", [this] { bench_.ask(journal::ShowDialog{"palette", {}}); });
  add("Larger text", "Ctrl++", [this] { step_scale(1); });
  add("Smaller text", "Ctrl+-", [this] { step_scale(-1); });
  add("Normal text size", "Ctrl+0", [this] { step_scale(0); });
  add(
      "Presenter scale", "F9",
      [this] { bench_.ask(journal::Present{scale_before_ == 0 ? "on" : "off"}); },
      "text 150 % beamer projector");
}

/// A screen has a size; one that says nothing is no reason for a window without one.
QSize Look::room() const {
  QSize room = window_.screen() ? window_.screen()->availableSize() : QSize();
  return room.width() < 200 || room.height() < 200 ? kUnknown : room;
}

std::map<std::string, std::string> Look::pane_sizes() const {
  std::map<std::string, std::string> all;
  for (QSplitter const* panes : window_.centralWidget()->findChildren<QSplitter*>())
    if (!panes->objectName().isEmpty())
      all[panes->objectName().toStdString()] = sizes_text(*panes).toStdString();
  return all;
}

void Look::set_theme(QString const& name) {
  name_ = name;
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
  changes_.theme(theme_);
  window_.setMinimumSize(
      QSize(theme_.px(kLeast.width()), theme_.px(kLeast.height())).boundedTo(room()));
}

Status Look::choose_theme(std::string const& theme) {
  QString name = QString::fromStdString(theme).replace('-', '_');
  if (!QStringList{"dark", "light", "high_contrast"}.contains(name))
    return bad_input("unknown_theme", "there is no theme '" + theme +
                                          "'; the themes are dark, light, high-contrast");
  set_theme(name);
  QSettings(bench_.settings_file(), QSettings::IniFormat).setValue("theme", name);
  return {};
}

// ---- the size of the text -------------------------------------------------------------------

void Look::set_scale(int percent) {
  Performer::Quiet quiet(performer_);
  scale_ = percent;
  set_theme(name_);
  changes_.scale();
}

Status Look::choose_scale(int percent) {
  if (percent < kLeastScale || percent > kMostScale)
    return bad_input("unusable_scale", "the text scale is " + std::to_string(kLeastScale) + " to " +
                                           std::to_string(kMostScale) + " percent, not " +
                                           std::to_string(percent));
  QSettings(bench_.settings_file(), QSettings::IniFormat).setValue("scale", percent);
  scale_before_ = 0;  // what one chooses oneself stays
  set_scale(percent);
  bench_.note(QString("Text scale: %1 %").arg(percent));
  return {};
}

/// For as long as one presents: the next start has the scale that was chosen.
Status Look::present(bool on) {
  if (on == (scale_before_ != 0)) return {};
  int percent = on ? std::max(kPresenterScale, scale_) : scale_before_;
  scale_before_ = on ? scale_ : 0;
  if (on) looked_before_ = pane_sizes();
  QSize before = window_.size();
  set_scale(percent);
  if (on) {
    grown_ = {before, window_.size()};
  } else {
    // Large text needs a larger window: unless one has pulled at it since, it is as it was.
    Performer::Quiet quiet(performer_);
    if (window_.size() == grown_.second) window_.resize(grown_.first);
    if (window_.size() == grown_.first)
      for (auto const& [panes, sizes] : looked_before_)
        bench_.ask(journal::ArrangePanes{panes, sizes});
  }
  bench_.note(QString(on ? "Presenter scale: %1 %" : "Text scale: %1 %").arg(percent));
  return {};
}

void Look::step_scale(int direction) {
  static std::vector<int> const kSteps{80, 90, 100, 110, 125, 150, 175, 200};
  auto at = std::ranges::lower_bound(kSteps, scale_) - kSteps.begin();
  at = std::clamp<std::ptrdiff_t>(at + direction, 0, std::ptrdiff_t(kSteps.size()) - 1);
  bench_.ask(journal::ScaleText{direction == 0 ? 100 : kSteps[size_t(at)]});
}

}  // namespace tw
