// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tuning/tune_model_dialog.h"

#include <QCheckBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>

#include "widgets/paint/chooser.h"
#include "widgets/paint/controls.h"
#include "widgets/tuning/device_checks.h"

namespace tw {
namespace {

using controls::button, controls::label;

constexpr int kSeconds = 60, kTrialsOfEachKernel = 32;

}  // namespace

TuneModelDialog::TuneModelDialog(QString const& model, int kernels, QString const& device,
                                 QString const& machine, std::vector<std::string> const& searches,
                                 QWidget* parent)
    : QDialog(parent) {
  setObjectName("tuneModelDialog");
  setWindowTitle("Tune the model");
  setMinimumWidth(560);
  auto* title = label("tuneModelTitle", "title");
  title->setText("Tune " + model);
  auto* words = label("tuneModelWords", "secondary", controls::Wrap::kYes);
  words->setText(
      QString(
          "All %1 kernels share one budget; most of it goes to the kernels that gain most. "
          "Schedules that are faster in the whole network are applied, and can be undone kernel by "
          "kernel; those for another device type are applied once such a device is in use.")
          .arg(kernels));
  auto* start = button("Start", "tuneModelStart", "Search with this budget");
  start->setProperty("primary", true);
  start->setDefault(true);
  auto* cancel = button("Cancel", "tuneModelCancel", "Cancel");
  cancel->setAutoDefault(false);
  devices_ = new DeviceChecks(device, machine);
  connect(devices_, &DeviceChecks::changed, this,
          [this, start] { start->setEnabled(!devices_->checked().empty()); });
  auto* form = new QFormLayout;
  form->setSpacing(10);
  form->addRow("Budget", build_budget(searches));
  form->addRow("First", arranges_ = build_arranges());
  form->addRow("Devices", devices_);
  auto* buttons = new QHBoxLayout;
  buttons->addStretch(1);
  buttons->addWidget(cancel);
  buttons->addWidget(start);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(20, 16, 20, 16);
  column->setSpacing(12);
  column->addWidget(title);
  column->addWidget(words);
  column->addLayout(form);
  column->addStretch(1);
  column->addLayout(buttons);
  connect(unit_, &QComboBox::currentIndexChanged, this, [this, kernels](int index) {
    amount_->setValue(index == 0 ? kSeconds : kTrialsOfEachKernel * kernels);
  });
  connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
  connect(start, &QPushButton::clicked, this, &TuneModelDialog::start);
  amount_->setFocus();
}

QCheckBox* TuneModelDialog::build_arranges() {
  auto* box = new QCheckBox("other layouts and algorithms");
  box->setObjectName("tuneModelArranges");
  box->setToolTip(
      "They determine the kernels: whole networks are compared on the device in use, and the "
      "faster one is kept. A kernel that changes starts a new history; the old one returns with "
      "its layout.");
  box->setChecked(true);
  return box;
}

QWidget* TuneModelDialog::build_budget(std::vector<std::string> const& searches) {
  amount_ = new QSpinBox;
  amount_->setObjectName("tuneModelAmount");
  amount_->setAccessibleName("Budget");
  amount_->setRange(1, 1'000'000);
  amount_->setValue(kSeconds);
  unit_ = new Chooser;
  unit_->setObjectName("tuneModelUnit");
  unit_->setAccessibleName("Unit of the budget");
  unit_->addItems({"seconds", "trials"});
  search_ = new Chooser;
  search_->setObjectName("tuneModelSearch");
  search_->setAccessibleName("Search");
  for (std::string const& name : searches) search_->addItem(QString::fromStdString(name));
  auto* all = new QWidget;
  all->setProperty("role", "bare");
  auto* row = new QHBoxLayout(all);
  row->setContentsMargins(0, 0, 0, 0);
  for (QWidget* one : std::initializer_list<QWidget*>{amount_, unit_, search_}) row->addWidget(one);
  row->addStretch(1);
  return all;
}

void TuneModelDialog::start() {
  session::TuneModel wanted;
  if (unit_->currentIndex() == 0)
    wanted.seconds = amount_->value();
  else
    wanted.trials = amount_->value();
  wanted.search = search_->currentText().toStdString();
  wanted.on = devices_->words();
  wanted.arranges = arranges_->isChecked() ? 1 : 0;
  emit start_asked(wanted);
  accept();
}

}  // namespace tw
