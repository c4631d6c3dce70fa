// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tuning/device_checks.h"

#include <QHeaderView>
#include <QLabel>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <set>

#include "widgets/paint/controls.h"

namespace tw {
namespace {

constexpr int kMostRows = 5;  // before one scrolls

QString state_of(session::DeviceChoice const& device) {
  if (!device.trouble.empty()) return "does not answer";
  return device.same_kind ? "same type" : "another type";
}

QTableWidgetItem* cell(QString const& text, bool enabled) {
  auto* item = new QTableWidgetItem(text);
  item->setFlags(enabled ? Qt::ItemIsEnabled | Qt::ItemIsSelectable : Qt::ItemIsSelectable);
  item->setToolTip(text);
  return item;
}

}  // namespace

std::pair<QString, QString> device_in_use(session::Snapshot const& now) {
  if (!now.machine) return {"local", ""};
  return {QString::fromStdString(now.machine->device), QString::fromStdString(now.machine->kind)};
}

DeviceChecks::DeviceChecks(QString const& in_use, QString const& machine, QWidget* parent)
    : QWidget(parent) {
  setObjectName("deviceChecks");
  setProperty("role", "bare");
  table_ = build_table();
  sentence_ = controls::label("deviceChecksWords", "secondary", controls::Wrap::kYes);
  QSizePolicy policy = sentence_->sizePolicy();
  policy.setRetainSizeWhenHidden(true);  // the buttons below stay under the pointer
  sentence_->setSizePolicy(policy);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(4);
  column->addWidget(table_);
  column->addWidget(sentence_);
  add_row({in_use.toStdString(), machine.toStdString(), true, ""}, "in use");
  check(in_use.toStdString(), true);
  show_sentence();
  connect(table_, &QTableWidget::itemChanged, this, [this] {
    show_sentence();
    emit changed();
  });
}

QTableWidget* DeviceChecks::build_table() {
  auto* table = new QTableWidget(0, 3);
  table->setObjectName("deviceTable");
  table->setAccessibleName("Devices to tune on");
  table->setHorizontalHeaderLabels({"device", "kind", ""});
  table->verticalHeader()->hide();
  table->setShowGrid(false);
  table->setTabKeyNavigation(false);
  table->setSelectionBehavior(QAbstractItemView::SelectRows);
  table->setSelectionMode(QAbstractItemView::SingleSelection);
  QHeaderView* head = table->horizontalHeader();
  head->setHighlightSections(false);
  head->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  head->setSectionResizeMode(0, QHeaderView::ResizeToContents);
  head->setSectionResizeMode(1, QHeaderView::Stretch);
  head->setSectionResizeMode(2, QHeaderView::ResizeToContents);
  return table;
}

void DeviceChecks::add_row(session::DeviceChoice const& device, QString const& state) {
  QSignalBlocker quiet(table_);
  bool answers = device.trouble.empty();
  int row = table_->rowCount();
  table_->insertRow(row);
  QTableWidgetItem* name = cell(QString::fromStdString(device.name), answers);
  if (answers) name->setFlags(name->flags() | Qt::ItemIsUserCheckable);
  name->setCheckState(Qt::Unchecked);
  table_->setItem(row, 0, name);
  table_->setItem(row, 1,
                  cell(QString::fromStdString(answers ? device.machine : device.trouble), answers));
  table_->setItem(row, 2, cell(state, answers));
  if (row == 0) table_->setCurrentCell(0, 0);
  devices_.push_back(device);
  fit_height();
}

void DeviceChecks::fit_height() {
  int rows = std::min(table_->rowCount(), kMostRows);
  int high = table_->horizontalHeader()->sizeHint().height() + 2 * table_->frameWidth();
  for (int row = 0; row < rows; ++row) high += table_->rowHeight(row);
  table_->setFixedHeight(high);
}

void DeviceChecks::show_devices(std::vector<session::DeviceChoice> const* choices) {
  if (known_ || !choices) return;
  known_ = true;
  for (session::DeviceChoice const& choice : *choices) add_row(choice, state_of(choice));
  show_sentence();
  emit changed();
}

void DeviceChecks::check(std::string const& name, bool checked) {
  for (size_t row = 0; row < devices_.size(); ++row)
    if (devices_[row].name == name && devices_[row].trouble.empty())
      table_->item(int(row), 0)->setCheckState(checked ? Qt::Checked : Qt::Unchecked);
}

std::vector<std::string> DeviceChecks::checked() const {
  std::vector<std::string> names;
  for (size_t row = 0; row < devices_.size(); ++row)
    if (table_->item(int(row), 0)->checkState() == Qt::Checked) names.push_back(devices_[row].name);
  return names;
}

std::string DeviceChecks::words() const {
  std::vector<std::string> const names = checked();
  if (names.size() == 1 && names.front() == devices_.front().name) return "";
  std::string words;
  for (std::string const& name : names) words += (words.empty() ? "" : " ") + name;
  return words;
}

int DeviceChecks::kinds() const {
  std::set<std::string> kinds;
  for (size_t row = 0; row < devices_.size(); ++row)
    if (table_->item(int(row), 0)->checkState() == Qt::Checked)
      kinds.insert(devices_[row].same_kind ? "" : devices_[row].machine);
  return int(kinds.size());
}

void DeviceChecks::show_sentence() {
  QString words;
  if (!known_) words = "Querying devices…";
  if (known_ && devices_.size() == 1) words = "No other device is listed.";
  if (kinds() > 1)
    words = QString("%1 device types: each has its own search, budget and result.").arg(kinds());
  if (checked().empty()) words = "Select at least one device.";
  sentence_->setText(words);
  sentence_->setVisible(!words.isEmpty());
}

}  // namespace tw
