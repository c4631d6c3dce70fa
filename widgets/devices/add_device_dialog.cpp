// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/devices/add_device_dialog.h"

#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>

namespace tw {
namespace {

constexpr int kLongest = 86400;  // seconds

QLineEdit* field(QString const& name, QString const& accessible, QString const& hint) {
  auto* made = new QLineEdit;
  made->setObjectName(name);
  made->setAccessibleName(accessible);
  made->setPlaceholderText(hint);
  return made;
}

/// A field and a button that fills it with a file's name.
QWidget* with_choice(QLineEdit* field) {
  auto* both = new QWidget;
  both->setProperty("role", "bare");
  auto* row = new QHBoxLayout(both);
  row->setContentsMargins(0, 0, 0, 0);
  auto* choose = new QPushButton("Choose");
  choose->setObjectName(field->objectName() + "Choose");
  choose->setAutoDefault(false);
  choose->setAccessibleName("Choose the " + field->accessibleName().toLower());
  QObject::connect(choose, &QPushButton::clicked, field, [field] {
    auto* files = new QFileDialog(field->window(), field->accessibleName());
    files->setFileMode(QFileDialog::ExistingFile);
    files->setAttribute(Qt::WA_DeleteOnClose);
    QObject::connect(files, &QFileDialog::fileSelected, field, &QLineEdit::setText);
    files->open();
  });
  row->addWidget(field, 1);
  row->addWidget(choose);
  return both;
}

}  // namespace

AddDeviceDialog::AddDeviceDialog(QWidget* parent) : QDialog(parent) {
  setObjectName("addDeviceDialog");
  setWindowTitle("Add a device");
  resize(520, 320);
  name_ = field("deviceName", "Name of the new device", "board");
  address_ = field("deviceAddress", "Address of the new device", "HOST:PORT");
  certificate_ = field("deviceCertificate", "Certificate of the new device",
                       "device.pem; not needed on this machine");
  token_ = field("deviceToken", "File with the token of the new device",
                 "device.token; not needed on this machine");
  timeout_ = new QSpinBox;
  timeout_->setObjectName("deviceTimeout");
  timeout_->setAccessibleName("Shortest time limit of a call, in seconds");
  timeout_->setRange(0, kLongest);
  timeout_->setSuffix(" s");
  timeout_->setSpecialValueText("default");
  sentence_ = new QLabel;
  sentence_->setObjectName("deviceSentence");
  sentence_->setWordWrap(true);
  sentence_->setTextFormat(Qt::PlainText);
  auto* what = new QLabel("The machine must run `tw device serve`.");
  what->setProperty("role", "secondary");
  auto* form = new QFormLayout;
  form->addRow("Name", name_);
  form->addRow("Address", address_);
  form->addRow("Certificate", with_choice(certificate_));
  form->addRow("Token file", with_choice(token_));
  form->addRow("Time limit of a call", timeout_);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
  add_ = buttons->addButton("Add", QDialogButtonBox::ActionRole);
  add_->setObjectName("deviceAdd");
  add_->setProperty("primary", true);
  add_->setDefault(true);
  add_->setEnabled(false);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(20, 16, 20, 16);
  column->setSpacing(12);
  column->addWidget(what);
  column->addLayout(form);
  column->addWidget(sentence_);
  column->addStretch(1);
  column->addWidget(buttons);
  for (QLineEdit* edit : {name_, address_})
    connect(edit, &QLineEdit::textChanged, this,
            [this] { add_->setEnabled(!name_->text().isEmpty() && !address_->text().isEmpty()); });
  connect(add_, &QPushButton::clicked, this, [this] { emit add_asked(device()); });
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
}

NewDevice AddDeviceDialog::device() const {
  return {name_->text().trimmed(), address_->text().trimmed(), certificate_->text().trimmed(),
          token_->text().trimmed(), double(timeout_->value())};
}

void AddDeviceDialog::say(QString const& sentence) { sentence_->setText(sentence); }

}  // namespace tw
