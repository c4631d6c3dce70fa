// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/quantize_dialog/quantize_dialog.h"

#include <QCheckBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace tw {
namespace {

QLabel* label(QString const& text, char const* role) {
  auto* label = new QLabel(text);
  label->setWordWrap(true);
  label->setProperty("role", role);
  return label;
}

QLineEdit* line(char const* name, char const* spoken, QString const& text) {
  auto* line = new QLineEdit(text);
  line->setObjectName(name);
  line->setAccessibleName(spoken);
  return line;
}

}  // namespace

QuantizeDialog::QuantizeDialog(QString const& model, QString const& file, bool dense,
                               QWidget* parent)
    : QDialog(parent),
      data_(line("data", "Folder of calibration data", {})),
      file_(line("file", "File of the int8 model", file)),
      replaces_(label({}, "secondary")),
      quantize_(new QPushButton("Quantize")) {
  using session::Quantize;
  setObjectName("quantizeDialog");
  setWindowTitle("Quantize");
  setMinimumWidth(600);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(20, 18, 20, 16);
  column->setSpacing(10);
  column->addWidget(label("Quantize " + model, "title"));
  column->addWidget(
      label("Convolutions compute in int8, with power-of-two scales. The accuracy loss of each "
            "output is measured on data that did not calibrate, and reported at the end.",
            "secondary"));
  auto* choices = new QVBoxLayout;
  choices->setSpacing(6);
  for (QCheckBox* box :
       {add_choice(&Quantize::dense, "Dense layers, too", "with averages before them"),
        add_choice(&Quantize::first, "Convolutions of the model's inputs, too",
                   "too few channels for an accelerator"),
        add_choice(&Quantize::depthwise, "Depthwise convolutions, too", "no accelerator runs them"),
        add_choice(&Quantize::unsigned_data, "Data that is never negative in u8",
                   "finer scales; an accelerator takes i8 only"),
        add_choice(&Quantize::one_weight_step, "One scale for all weights of a layer",
                   "coarser than one per channel")})
    choices->addWidget(box);
  choices_.front().second->setChecked(dense);
  data_->setPlaceholderText("random inputs");
  auto* form = new QFormLayout;
  form->setSpacing(8);
  form->addRow("Layers", choices);
  form->addRow("Calibrate on", place(data_, &QuantizeDialog::choose_data));
  form->addRow("File", place(file_, &QuantizeDialog::choose_file));
  replaces_->setObjectName("replaces");
  form->addRow(QString(), replaces_);
  column->addLayout(form);
  column->addWidget(
      label("A folder of data holds input_0.pb, input_1.pb and so on, or folders "
            "with these. The last of several is kept for the comparison.",
            "secondary"));
  auto* close = new QPushButton("Close");
  close->setProperty("quiet", true);
  quantize_->setObjectName("quantize");
  quantize_->setProperty("primary", true);
  quantize_->setDefault(true);
  auto* row = new QHBoxLayout;
  row->addStretch(1);
  row->addWidget(close);
  row->addWidget(quantize_);
  column->addStretch(1);
  column->addLayout(row);
  connect(file_, &QLineEdit::textChanged, this, &QuantizeDialog::look_at_file);
  connect(close, &QPushButton::clicked, this, &QDialog::reject);
  connect(quantize_, &QPushButton::clicked, this, &QuantizeDialog::begin);
  look_at_file();
  quantize_->setFocus();
}

QCheckBox* QuantizeDialog::add_choice(bool session::Quantize::*member, QString const& name,
                                      QString const& why) {
  auto* box = new QCheckBox(name + " (" + why + ")");
  box->setObjectName(name.section(' ', 0, 0).toLower() + QString::number(choices_.size()));
  choices_.emplace_back(member, box);
  return box;
}

QLayout* QuantizeDialog::place(QLineEdit* line, void (QuantizeDialog::*choose)()) {
  auto* row = new QHBoxLayout;
  auto* button = new QPushButton("Choose...");
  button->setProperty("quiet", true);
  button->setAccessibleName("Choose: " + line->accessibleName());
  row->addWidget(line, 1);
  row->addWidget(button);
  connect(button, &QPushButton::clicked, this, choose);
  return row;
}

void QuantizeDialog::choose_data() {
  QString folder = QFileDialog::getExistingDirectory(this, "Calibration data", data_->text());
  if (!folder.isEmpty()) data_->setText(folder);
}

void QuantizeDialog::choose_file() {
  QString file =
      QFileDialog::getSaveFileName(this, "Write the int8 model", file_->text(), "Models (*.onnx)");
  if (!file.isEmpty()) file_->setText(file);
}

QString QuantizeDialog::file() const {
  QString file = file_->text().trimmed();
  return file.isEmpty() || file.endsWith(".onnx") ? file : file + ".onnx";
}

void QuantizeDialog::look_at_file() {
  quantize_->setEnabled(!file().isEmpty());
  bool exists = QFileInfo::exists(file());
  replaces_->setText(exists ? "This file exists and will be replaced." : QString());
  replaces_->setVisible(exists);
}

void QuantizeDialog::begin() {
  session::Quantize how;
  for (auto const& [member, box] : choices_) how.*member = box->isChecked();
  how.data = data_->text().trimmed().toStdString();
  how.file = file().toStdString();
  emit wanted(how);
  accept();
}

}  // namespace tw
