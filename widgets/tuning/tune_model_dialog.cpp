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

namespace tw {
namespace {

using controls::button, controls::label;

constexpr int kSeconds = 60, kTrialsOfEachKernel = 32;

}  // namespace

TuneModelDialog::TuneModelDialog(QString const& model, int kernels, QString const& device,
                                 std::vector<std::string> const& searches, QWidget* parent)
    : QDialog(parent) {
  setObjectName("tuneModelDialog");
  setWindowTitle("Tune the model");
  setMinimumWidth(480);
  auto* title = label("tuneModelTitle", "title");
  title->setText("Tune " + model);
  auto* words = label("tuneModelWords", "secondary", controls::Wrap::kYes);
  words->setText(QString("All %1 kernels are searched with one budget; most of it goes where most "
                         "is gained. What is faster in the whole network becomes the kernels' "
                         "schedules, and can be undone kernel by kernel.")
                     .arg(kernels));
  auto* start = button("Start", "tuneModelStart", "Search with this budget");
  start->setProperty("primary", true);
  start->setDefault(true);
  auto* cancel = button("Cancel", "tuneModelCancel", "Close this and search nothing");
  cancel->setAutoDefault(false);
  auto* own = new QCheckBox(device + " (in use)");
  own->setChecked(true);
  own->setEnabled(false);
  asking_ = label("tuneModelAsking", "secondary", controls::Wrap::kYes);
  asking_->setText("Asking the other devices what they are...");
  auto* list = new QWidget;
  list->setProperty("role", "bare");
  devices_ = new QVBoxLayout(list);
  devices_->setContentsMargins(0, 0, 0, 0);
  devices_->addWidget(own);
  devices_->addWidget(asking_);
  auto* form = new QFormLayout;
  form->setSpacing(10);
  form->addRow("Budget", build_budget(searches));
  form->addRow("Devices", list);
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

void TuneModelDialog::show_devices(std::vector<session::DeviceChoice> const* choices) {
  if (known_ || !choices) return;
  known_ = true;
  asking_->setVisible(choices->empty());
  asking_->setText("No other device is on the list.");
  for (session::DeviceChoice const& choice : *choices) add_device(choice);
}

void TuneModelDialog::add_device(session::DeviceChoice const& choice) {
  QString name = QString::fromStdString(choice.name);
  auto* box = new QCheckBox(choice.same_kind ? name + ", of the same kind" : name);
  box->setObjectName("tuneModelDevice_" + name);
  box->setEnabled(choice.same_kind);
  devices_->addWidget(box);
  if (choice.same_kind) return boxes_.emplace_back(choice.name, box), void();
  auto* why = label("tuneModelWhy_" + name, "secondary", controls::Wrap::kYes);
  why->setText(choice.trouble.empty()
                   ? "Another kind: " + QString::fromStdString(choice.machine) + "."
                   : "It does not answer: " + QString::fromStdString(choice.trouble) + ".");
  why->setContentsMargins(24, 0, 0, 0);
  devices_->addWidget(why);
}

void TuneModelDialog::start() {
  session::TuneModel wanted;
  if (unit_->currentIndex() == 0)
    wanted.seconds = amount_->value();
  else
    wanted.trials = amount_->value();
  wanted.search = search_->currentText().toStdString();
  for (auto const& [name, box] : boxes_)
    if (box->isChecked()) wanted.with += (wanted.with.empty() ? "" : " ") + name;
  emit start_asked(wanted);
  accept();
}

}  // namespace tw
