// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/devices/devices_view.h"

#include <QApplication>
#include <QClipboard>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QStackedWidget>
#include <QTabBar>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/paint/controls.h"

namespace tw {
namespace {

using controls::button, controls::label, controls::Wrap;

QScrollArea* scrolled(QWidget* content, QString const& name) {
  auto* area = new QScrollArea;
  area->setObjectName(name);
  area->setWidget(content);
  area->setWidgetResizable(true);
  area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  return area;
}

QString text_of(DeviceLogLine const& line) {
  return QString("%1  %2 %3  %4")
      .arg(line.time, line.bad ? QStringLiteral("✕") : QStringLiteral(" "),
           line.word.leftJustified(9), line.text);
}

}  // namespace

DevicesView::DevicesView(QWidget* parent) : QWidget(parent) {
  setObjectName("devices");
  setFocusPolicy(Qt::StrongFocus);
  tabs_ = new QTabBar;
  tabs_->setObjectName("devicesTabs");
  tabs_->setAccessibleName("Pages of the devices");
  tabs_->setExpanding(false);
  tabs_->addTab("Machines");
  tabs_->addTab("Team");
  tabs_->setTabToolTip(1, "The jobs and workers of a team that tunes together");
  pages_ = new QStackedWidget;
  pages_->addWidget(build_machines());
  pages_->addWidget(team_ = new TeamView);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(tabs_);
  column->addWidget(pages_, 1);
  connect(tabs_, &QTabBar::currentChanged, this, [this](int page) {
    pages_->setCurrentIndex(page);
    emit page_changed();
  });
  show_details();
}

void DevicesView::show_page(Page page) { tabs_->setCurrentIndex(int(page)); }
DevicesView::Page DevicesView::page() const { return Page(tabs_->currentIndex()); }

QWidget* DevicesView::build_machines() {
  list_ = new DeviceList;
  left_ = scrolled(list_, "deviceScroll");
  auto* parts = new QHBoxLayout;
  parts->setContentsMargins(0, 0, 0, 0);
  parts->setSpacing(16);
  parts->addWidget(left_, 2);
  auto* right = new QVBoxLayout;
  right->setContentsMargins(0, 8, 16, 12);
  right->setSpacing(8);
  right->addWidget(build_details(), 3);
  right->addWidget(build_log(), 2);
  parts->addLayout(right, 3);
  auto* all = new QWidget;
  auto* column = new QVBoxLayout(all);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(build_head());
  column->addLayout(parts, 1);
  connect(list_, &DeviceList::chosen, this, &DevicesView::choose);
  connect(list_, &DeviceList::use_asked, this, &DevicesView::use);
  connect(list_, &DeviceList::remove_asked, this, &DevicesView::remove);
  connect(list_, &DeviceList::menu_asked, this, &DevicesView::menu_asked);
  return all;
}

QWidget* DevicesView::build_head() {
  use_ = button("Use", "deviceUse", "Compile kernels for the selected device and run them there");
  use_->setProperty("primary", true);
  check_ = button("Check", "deviceCheck", "Ask every device again");
  remove_ = button("Remove", "deviceRemove", "Remove the selected device from the list (Del)");
  add_ = button("Add a device", "deviceAddOpen", "A machine that runs tw device serve");
  sentence_ = label("devicesSentence", "secondary", Wrap::kYes);
  auto* head = new QWidget;
  auto* row = new QHBoxLayout(head);
  row->setContentsMargins(16, 8, 16, 8);
  row->setSpacing(8);
  for (QPushButton* one : {use_, check_, remove_, add_}) row->addWidget(one);
  row->addWidget(sentence_, 1);
  connect(use_, &QPushButton::clicked, this, [this] { use(selected_); });
  connect(remove_, &QPushButton::clicked, this, [this] { remove(selected_); });
  connect(check_, &QPushButton::clicked, this, &DevicesView::check_asked);
  connect(add_, &QPushButton::clicked, this, &DevicesView::add_asked);
  return head;
}

QWidget* DevicesView::build_details() {
  title_ = label("deviceTitle", "title", Wrap::kYes);
  state_ = label("deviceState", "secondary", Wrap::kYes);
  roofs_ = new RoofBars;
  auto* page = new QWidget;
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(0, 0, 8, 0);
  column->setSpacing(6);
  column->addWidget(title_);
  column->addWidget(state_);
  auto* both = new QHBoxLayout;
  both->setSpacing(24);
  auto* facts = new QVBoxLayout;
  figures_ = new QGridLayout;
  figures_->setHorizontalSpacing(14);
  figures_->setVerticalSpacing(4);
  figures_->setColumnStretch(1, 1);
  facts->addLayout(figures_);
  facts->addStretch(1);
  auto* bars = new QVBoxLayout;
  bars->addWidget(roofs_);
  bars->addStretch(1);
  both->addLayout(facts, 1);
  both->addLayout(bars, 1);
  column->addLayout(both, 1);
  return scrolled(page, "deviceDetails");
}

QWidget* DevicesView::build_log() {
  auto* title = new QLabel("Device log");
  title->setProperty("role", "label");
  copy_ = button("Copy", "deviceLogCopy", "Copy the whole log");
  copy_->setProperty("quiet", true);
  copy_->setAccessibleName("Copy the log");
  log_ = new QPlainTextEdit;
  log_->setObjectName("deviceLog");
  log_->setAccessibleName("Log of the selected device");
  log_->setReadOnly(true);
  log_->setTabChangesFocus(true);
  log_->setLineWrapMode(QPlainTextEdit::NoWrap);
  log_->setMinimumHeight(72);
  auto* all = new QWidget;
  auto* column = new QVBoxLayout(all);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(4);
  auto* head = new QHBoxLayout;
  head->addWidget(title);
  head->addStretch(1);
  head->addWidget(copy_);
  column->addLayout(head);
  column->addWidget(log_, 1);
  connect(copy_, &QPushButton::clicked, this, [this] { copy_log(); });
  return all;
}

void DevicesView::set_theme(Theme const& theme) {
  list_->set_theme(theme);
  roofs_->set_theme(theme);
  team_->set_theme(theme);
  left_->setMinimumWidth(theme.px(220));
  left_->setMaximumWidth(theme.px(348));
  log_->setStyleSheet(
      theme.scaled(QString("QPlainTextEdit { background: %1; color: %2; border: 1px solid %3; "
                           "border-radius: 6px; padding: 6px; font-family: 'JetBrains Mono', "
                           "'DejaVu Sans Mono'; font-size: 11px; }")
                       .arg(theme.inset.name(), theme.text1.name(), theme.line2.name())));
}

void DevicesView::focusInEvent(QFocusEvent*) {
  (page() == Page::kTeam ? team_->focus_target() : list_)->setFocus();
}

DeviceRow const* DevicesView::selected() const {
  return selected_ >= 0 && size_t(selected_) < rows_.size() ? &rows_[size_t(selected_)] : nullptr;
}

void DevicesView::choose(int row) {
  if (row < 0 || size_t(row) >= rows_.size() || row == selected_) return;
  selected_ = row;
  list_->show_devices(rows_, selected_);
  show_details();
  emit selected_changed(rows_[size_t(row)].name);
}

bool DevicesView::select(QString const& name) {
  for (size_t i = 0; i < rows_.size(); ++i)
    if (rows_[i].name == name) return choose(int(i)), true;
  return false;
}

void DevicesView::use(int row) {
  if (row < 0 || size_t(row) >= rows_.size() || !use_->isEnabled()) return;
  emit use_asked(rows_[size_t(row)].name);
}

void DevicesView::remove(int row) {
  if (row < 0 || size_t(row) >= rows_.size() || !remove_->isEnabled()) return;
  emit remove_asked(rows_[size_t(row)].name);
}

void DevicesView::show_devices(std::vector<DeviceRow> rows) {
  QString before = selected() ? selected()->name : QString();
  bool asking = std::any_of(rows.begin(), rows.end(),
                            [](DeviceRow const& row) { return row.word == DeviceWord::kAsking; });
  rows_ = std::move(rows);
  selected_ = rows_.empty() ? -1 : 0;
  for (size_t i = 0; i < rows_.size(); ++i)
    if (rows_[i].name == before || (before.isEmpty() && rows_[i].in_use)) selected_ = int(i);
  list_->show_devices(rows_, selected_);
  check_->setEnabled(!asking);
  show_details();
}

void DevicesView::show_figures(std::vector<DeviceFigure> const& figures) {
  if (figures == shown_figures_) return;  // what is being selected in them stays selected
  shown_figures_ = figures;
  while (QLayoutItem* item = figures_->takeAt(0)) {
    delete item->widget();
    delete item;
  }
  for (size_t i = 0; i < figures.size(); ++i) {
    auto* name = label({}, "label", Wrap::kYes);
    name->setText(figures[i].name);
    name->setWordWrap(false);
    auto* value = label({}, "", Wrap::kYes);
    value->setText(figures[i].value);
    value->setTextInteractionFlags(Qt::TextSelectableByMouse);
    value->setAccessibleName(figures[i].name + ": " + figures[i].value);
    figures_->addWidget(name, int(i), 0, Qt::AlignTop | Qt::AlignLeft);
    figures_->addWidget(value, int(i), 1);
  }
}

void DevicesView::show_details() {
  DeviceRow const* row = selected();
  use_->setText(row && row->in_use ? "Reconnect" : "Use");
  use_->setEnabled(row && (row->in_use || row->answers_now));
  remove_->setEnabled(row && !row->fixed && !row->in_use);
  remove_->setToolTip(row && row->simulated   ? "A simulated device is not in the list"
                      : row && row->described ? "A described device is not in the list"
                      : !row || row->fixed    ? "This machine cannot be removed"
                      : row->in_use           ? "Switch to another device first"
                                              : "Remove the selected device from the list (Del)");
  title_->setText(row ? row->name : "");
  if (!row) return;
  QString state = word_of(row->word);
  if (!row->since.isEmpty()) state += ", " + row->since;
  if (!row->trouble.isEmpty()) state += ": " + row->trouble;
  if (row->simulated) state += QStringLiteral(" · simulated by this machine");
  if (row->described) state += QStringLiteral(": code is made and judged for it, nothing runs");
  if (row->in_use && !row->described) state += QStringLiteral(" · kernels run here now");
  if (row->runs_part) state += QStringLiteral(" · a part of the model runs here now");
  state_->setText(state);
  show_figures(row->figures);
  roofs_->setVisible(!row->roofs.empty() || row->answers_now);
  roofs_->show_roofs(row->roofs);
}

void DevicesView::show_log(QString const& device, std::vector<DeviceLogLine> const& lines) {
  QStringList texts;
  for (DeviceLogLine const& line : lines) texts << text_of(line);
  bool goes_on = device == logged_ && texts.size() >= logging_.size() &&
                 std::equal(logging_.begin(), logging_.end(), texts.begin());
  if (goes_on && texts.size() == logging_.size()) return;
  QScrollBar* bar = log_->verticalScrollBar();
  bool at_end = bar->value() == bar->maximum();
  if (goes_on && !logging_.isEmpty())
    log_->appendPlainText(texts.mid(logging_.size()).join('\n'));
  else
    log_->setPlainText(texts.join('\n'));
  if (at_end || !goes_on) {  // the newest is what one looks for
    log_->moveCursor(QTextCursor::End);
    log_->moveCursor(QTextCursor::StartOfLine);
  }
  logged_ = device;
  logging_ = texts;
  copy_->setEnabled(!texts.isEmpty());
}

bool DevicesView::can_use() const { return use_->isEnabled(); }
bool DevicesView::can_remove() const { return remove_->isEnabled(); }
void DevicesView::copy_log() const { QApplication::clipboard()->setText(log_text()); }

QString DevicesView::log_text() const {
  return logging_.join('\n') + (logging_.isEmpty() ? "" : "\n");
}

void DevicesView::say(QString const& sentence) { sentence_->setText(sentence); }
QString DevicesView::sentence() const { return sentence_->text(); }

}  // namespace tw
