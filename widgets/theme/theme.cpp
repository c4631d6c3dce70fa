// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/theme/theme.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QPalette>
#include <QRegularExpression>

// A static library's resources are linked only when they are asked for; the macro wants no
// namespace.
static void need_resources() { Q_INIT_RESOURCE(resources); }

namespace tw {

Theme Theme::load(QString const& name) {
  need_resources();
  QFile file(":/themes/" + name + ".json");
  if (!file.open(QIODevice::ReadOnly)) qFatal("there is no theme '%s'", qPrintable(name));
  QJsonObject json = QJsonDocument::fromJson(file.readAll()).object();
  auto colour = [&](char const* key) { return QColor(json[key].toString()); };
  Theme t;
  t.name = json["name"].toString();
  std::pair<QColor*, char const*> const fields[] = {
      {&t.window, "window"},   {&t.panel, "panel"},   {&t.raised, "raised"},
      {&t.control, "control"}, {&t.hover, "hover"},   {&t.inset, "inset"},
      {&t.line1, "line1"},     {&t.line2, "line2"},   {&t.line3, "line3"},
      {&t.text1, "text1"},     {&t.text2, "text2"},   {&t.text3, "text3"},
      {&t.ink, "ink"},         {&t.on_ink, "on_ink"}, {&t.ok, "ok"},
      {&t.warn, "warn"},       {&t.error, "error"},   {&t.added, "added"},
      {&t.removed, "removed"}, {&t.moved, "moved"}};
  for (auto const& [field, key] : fields) *field = colour(key);
  for (int i = 0; i < 8; ++i) t.hues[size_t(i)] = QColor(json["hues"].toArray()[i].toString());
  for (int i = 0; i < 4; ++i) t.levels[size_t(i)] = QColor(json["levels"].toArray()[i].toString());
  t.outer_fill = json["outer_fill"].toDouble(0.3);
  t.inner_fill = json["inner_fill"].toDouble(0.16);
  return t;
}

QStringList Theme::names() { return {"dark", "light", "high_contrast"}; }

QColor Theme::mix(QColor const& a, QColor const& b, double t) {
  auto blend = [&](int x, int y) { return int(x * t + y * (1 - t) + 0.5); };
  return QColor(blend(a.red(), b.red()), blend(a.green(), b.green()), blend(a.blue(), b.blue()));
}

QString Theme::style_sheet() const {
  QString sheet = R"(
    QWidget { background: $panel; color: $text1; font-family: Inter, "Noto Sans", "DejaVu Sans"; font-size: 12px; }
    QMainWindow, #start { background: $window; }
    QLabel { background: transparent; }
    #topBar { border-bottom: 1px solid $line1; }
    #statusBar { border-top: 1px solid $line1; color: $text3; }
    #leftRail { border-right: 1px solid $line1; } #rightRail { border-left: 1px solid $line1; } #belowRail { border-top: 1px solid $line1; }
    QSplitter::handle { background: $line1; }
    QTabWidget::pane { border: none; border-top: 1px solid $line1; }
    QTabBar { background: $panel; qproperty-drawBase: 0; }
    QTabBar::tab { background: transparent; color: $text3; padding: 8px 2px 7px 2px; margin: 0 9px; border-bottom: 2px solid transparent; font-size: 12px; }
    QTabBar::tab:selected { color: $text1; font-weight: 600; border-bottom: 2px solid $ink; }
    QTabBar::tab:hover { color: $text1; }
    QPushButton, QToolButton, QComboBox { background: $control; color: $text1; border: 1px solid $line3; border-radius: 6px; padding: 4px 10px; min-height: 18px; }
    QPushButton:hover, QToolButton:hover, QComboBox:hover { background: $hover; }
    QPushButton:focus, QToolButton:focus, QComboBox:focus, QLineEdit:focus, QAbstractSpinBox:focus { border: 2px solid $ink; padding: 3px 9px; }
    QPushButton, QToolButton, QComboBox, QCheckBox, QTabBar { outline: none; }
    QFileDialog QToolButton { padding: 2px 4px; } QTabBar QToolButton { padding: 0; border: none; background: $panel; }
    QPushButton:disabled { color: $text3; background: $panel; }
    QPushButton[primary="true"] { background: $ink; color: $on_ink; border-color: $ink; font-weight: 600; }
    QPushButton[primary="true"]:focus { text-decoration: underline; }
    QPushButton[primary="true"]:disabled { background: $control; color: $text3; border-color: $line2; }
    QPushButton:checked { background: $hover; color: $text1; border-color: $text3; }
    QWidget[role="bare"], QWidget[role="bare"] > QLabel { background: transparent; }
    QPlainTextEdit { font-family: "JetBrains Mono", "DejaVu Sans Mono"; font-size: 13px; background: $inset; color: $text1; border: 1px solid $line3; border-radius: 6px; selection-background-color: $hover; selection-color: $text1; }
    QPushButton[quiet="true"], QToolButton[quiet="true"] { background: transparent; border-color: transparent; color: $text2; }
    QPushButton[quiet="true"]:checked { background: $control; color: $text1; border-color: $line3; }
    QPushButton[quiet="true"]:disabled { color: $text3; }
    QComboBox { combobox-popup: 0; } QComboBox::drop-down { border: none; width: 20px; }
    QComboBox QAbstractItemView { background: $raised; color: $text1; selection-background-color: $hover; selection-color: $text1; border: 1px solid $line2; outline: none; }
    QComboBox QAbstractItemView::item { min-height: 22px; padding: 0 8px; border: 0px solid transparent; } QComboBox QAbstractItemView::item:selected { background: $hover; color: $text1; }
    QLineEdit, QAbstractSpinBox { background: $inset; color: $text1; border: 1px solid $line3; border-radius: 6px; padding: 4px 8px; min-height: 18px; selection-background-color: $hover; selection-color: $text1; }
    QAbstractSpinBox::up-button, QAbstractSpinBox::down-button { width: 0; border: none; }
    QDialogButtonBox { dialogbuttonbox-buttons-have-icons: 0; }
    QDialog, #card { background: $raised; }
    QListWidget { background: $raised; border: none; outline: none; }
    QListWidget::item { padding: 6px 10px; border: none; } QListWidget::item:selected { background: $hover; color: $text1; }
    QTableView { background: $inset; border: 1px solid $line3; border-radius: 6px; outline: none; selection-background-color: $hover; selection-color: $text1; }
    QTableView::item { padding: 2px 5px; border: 0px solid transparent; } QTableView::item:selected { background: $hover; color: $text1; }
    QCheckBox { background: transparent; spacing: 8px; } QCheckBox:disabled { color: $text3; } QCheckBox:focus { text-decoration: underline; }
    QCheckBox::indicator, QTableView::indicator { width: 12px; height: 12px; background: $inset; border: 1px solid $text3; border-radius: 4px; }
    QCheckBox::indicator:checked, QTableView::indicator:checked { background: $ink; border-color: $ink; image: url($tick); }
    QCheckBox::indicator:disabled { border-color: $line2; } QCheckBox::indicator:checked:disabled { background: $text3; border-color: $text3; }
    QHeaderView { background: transparent; } QHeaderView::section { background: $raised; color: $text3; border: none; border-bottom: 1px solid $line1; padding: 5px 8px; }
    QScrollBar:vertical { background: transparent; width: 8px; } QScrollBar:horizontal { background: transparent; height: 8px; }
    QScrollBar::handle { background: $line3; border-radius: 4px; min-height: 24px; min-width: 24px; } QScrollBar::handle:hover { background: $text2; }
    QSlider::groove:horizontal { background: $line3; height: 2px; } QSlider::sub-page:horizontal { background: $ink; height: 2px; }
    QSlider::handle:horizontal { background: $panel; border: 2px solid $ink; width: 10px; margin: -6px 0; border-radius: 7px; }
    QSlider::handle:horizontal:disabled { border-color: $line2; } QSlider::sub-page:horizontal:disabled { background: $line2; }
    QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; } QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
    QAbstractScrollArea { border: none; } QAbstractScrollArea::corner { background: $panel; }
    QToolTip { background: $raised; color: $text1; border: 1px solid $line2; padding: 6px; font-family: Inter, "Noto Sans", "DejaVu Sans"; font-size: 12px; }
    QLabel[mono="true"], QLineEdit[mono="true"], QComboBox[mono="true"], QListWidget[mono="true"] { font-family: "JetBrains Mono", "DejaVu Sans Mono"; }
    #modelTuningLine { background: $line1; }
    #modelBar { background: $raised; border-bottom: 1px solid $line2; } #playbackBar { background: $raised; border-top: 1px solid $line2; }
    QMenu { background: $raised; border: 1px solid $line2; padding: 4px; } QMenu::item { padding: 5px 22px; } QMenu::item:selected { background: $hover; } QMenu::item:disabled { background: transparent; color: $text3; }
    QLabel[role="label"] { color: $text3; font-size: 11px; } QLabel[role="secondary"] { color: $text2; } QLabel[role="title"] { font-size: 15px; font-weight: 600; }
    QLabel[role="headline"] { font-size: 26px; font-weight: 600; } QLabel[role="lead"] { font-size: 14px; color: $text2; } QLabel[role="section"] { font-size: 13px; font-weight: 600; }
    QPushButton[row="sample"] { text-align: left; padding-left: 16px; min-height: 34px; } QPushButton[row="recent"] { text-align: left; }
    QLabel[role="pill"] { background: $control; border: 1px solid $line2; border-radius: 6px; padding: 4px 10px; color: $text1; }
    QProgressBar { background: $control; border: none; border-radius: 2px; max-height: 4px; } QProgressBar::chunk { background: $ink; border-radius: 2px; }
  )";
  sheet.replace("$tick",
                on_ink.lightness() < 128 ? ":/marks/tick_dark.png" : ":/marks/tick_light.png");
  // Longer names first, so that $line1 is not taken for $line.
  std::pair<char const*, QColor> const names[] = {
      {"$on_ink", on_ink},   {"$window", window}, {"$panel", panel}, {"$raised", raised},
      {"$control", control}, {"$hover", hover},   {"$inset", inset}, {"$line1", line1},
      {"$line2", line2},     {"$line3", line3},   {"$text1", text1}, {"$text2", text2},
      {"$text3", text3},     {"$ink", ink},       {"$error", error}};
  for (auto const& [key, value] : names) sheet.replace(key, value.name());
  return scaled(sheet);
}

QString Theme::scaled(QString sheet) const {
  if (scale == 1) return sheet;
  static QRegularExpression const kLength("\\b(\\d+)px");
  qsizetype from = 0;
  for (auto found = kLength.match(sheet); found.hasMatch(); found = kLength.match(sheet, from)) {
    int length = found.captured(1).toInt();
    QString now = QString("%1px").arg(length > 1 ? px(length) : length);
    sheet.replace(found.capturedStart(), found.capturedLength(), now);
    from = found.capturedStart() + now.size();
  }
  return sheet;
}

namespace {
QFont font_of(QStringList const& families, double px, int weight) {
  QFont font;
  font.setFamilies(families);
  font.setPixelSize(int(px + 0.5));
  font.setWeight(QFont::Weight(weight));
  return font;
}
}  // namespace

QFont ui_font(double px, int weight) {
  return font_of({"Inter", "Noto Sans", "DejaVu Sans"}, px, weight);
}
QFont mono_font(double px, int weight) {
  QFont font = font_of({"JetBrains Mono", "DejaVu Sans Mono"}, px, weight);
  font.setFixedPitch(true);
  font.setStyleStrategy(QFont::PreferAntialias);
  return font;
}

}  // namespace tw
