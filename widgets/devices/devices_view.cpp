// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/devices/devices_view.h"

#include <QFileDialog>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>

namespace tw {
namespace {

enum Column { kName, kAddress, kState, kMachine, kRoofs, kColumns };

QPushButton* button(QString const& text, QString const& name, QString const& why) {
  auto* made = new QPushButton(text);
  made->setObjectName(name);
  made->setToolTip(why);
  made->setAutoDefault(false);
  return made;
}

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
  auto* choose = button("Choose", field->objectName() + "Choose", "Choose a file");
  choose->setAccessibleName("Choose the " + field->accessibleName().toLower());
  QObject::connect(choose, &QPushButton::clicked, field, [field] {
    QString file = QFileDialog::getOpenFileName(field, field->accessibleName());
    if (!file.isEmpty()) field->setText(file);
  });
  row->addWidget(field, 1);
  row->addWidget(choose);
  return both;
}

QLabel* titled(QString const& text) {
  auto* made = new QLabel(text);
  made->setProperty("role", "title");
  return made;
}

}  // namespace

DevicesView::DevicesView(QWidget* parent) : QWidget(parent) {
  setObjectName("devices");
  setProperty("role", "bare");
  table_ = new QTableWidget(0, kColumns);
  table_->setObjectName("deviceTable");
  table_->setAccessibleName("Devices");
  table_->setHorizontalHeaderLabels({"Name", "Address", "State", "Machine", "Roofs"});
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table_->setTabKeyNavigation(false);
  table_->verticalHeader()->hide();
  table_->setShowGrid(false);
  table_->setFocusPolicy(Qt::StrongFocus);
  table_->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  table_->horizontalHeader()->setHighlightSections(false);
  table_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  table_->horizontalHeader()->setSectionResizeMode(kState, QHeaderView::Stretch);
  sentence_ = new QLabel;
  sentence_->setObjectName("deviceSentence");
  sentence_->setWordWrap(true);
  sentence_->setTextFormat(Qt::PlainText);
  auto* column = new QVBoxLayout(this);
  column->addWidget(titled("Devices"));
  column->addWidget(table_, 1);
  column->addWidget(build_buttons());
  column->addWidget(sentence_);
  column->addWidget(titled("Add a machine that runs tw device serve"));
  column->addWidget(build_form());
  connect(table_, &QTableWidget::itemSelectionChanged, this, &DevicesView::show_what_is_possible);
  connect(table_, &QTableWidget::itemActivated, this, [this] {
    if (use_->isEnabled()) use_->click();
  });
  show_what_is_possible();
}

QWidget* DevicesView::build_buttons() {
  use_ = button("Use", "deviceUse", "Compile kernels for the selected device and run them there");
  check_ = button("Check", "deviceCheck", "Ask every device again");
  remove_ = button("Remove", "deviceRemove", "Forget the selected device");
  auto* all = new QWidget;
  all->setProperty("role", "bare");
  auto* row = new QHBoxLayout(all);
  row->setContentsMargins(0, 0, 0, 0);
  for (QPushButton* one : {use_, check_, remove_}) row->addWidget(one);
  row->addStretch(1);
  connect(use_, &QPushButton::clicked, this, [this] {
    if (DeviceRow const* row = selected()) emit use_asked(row->name);
  });
  connect(remove_, &QPushButton::clicked, this, [this] {
    if (DeviceRow const* row = selected()) emit remove_asked(row->name);
  });
  connect(check_, &QPushButton::clicked, this, &DevicesView::check_asked);
  return all;
}

QWidget* DevicesView::build_form() {
  name_ = field("deviceName", "Name of the new device", "board");
  address_ = field("deviceAddress", "Address of the new device", "HOST:PORT");
  certificate_ = field("deviceCertificate", "Certificate of the new device",
                       "device.pem; not needed on this machine");
  token_ = field("deviceToken", "File with the token of the new device",
                 "device.token; not needed on this machine");
  add_ = button("Add", "deviceAdd", "Add a machine that runs tw device serve");
  auto* all = new QWidget;
  all->setProperty("role", "bare");
  auto* form = new QFormLayout(all);
  form->setContentsMargins(0, 12, 0, 0);
  form->addRow("Name", name_);
  form->addRow("Address", address_);
  form->addRow("Certificate", with_choice(certificate_));
  form->addRow("Token file", with_choice(token_));
  form->addRow("", add_);
  for (QLineEdit* edit : {name_, address_})
    connect(edit, &QLineEdit::textChanged, this, &DevicesView::show_what_is_possible);
  connect(add_, &QPushButton::clicked, this, [this] {
    emit add_asked({name_->text().trimmed(), address_->text().trimmed(),
                    certificate_->text().trimmed(), token_->text().trimmed()});
  });
  return all;
}

DeviceRow const* DevicesView::selected() const {
  int row = table_->currentRow();
  return row >= 0 && size_t(row) < rows_.size() ? &rows_[size_t(row)] : nullptr;
}

void DevicesView::show_what_is_possible() {
  DeviceRow const* row = selected();
  use_->setEnabled(row && row->answers && !row->in_use);
  remove_->setEnabled(row && !row->fixed && !row->in_use);
  if (add_) add_->setEnabled(!name_->text().isEmpty() && !address_->text().isEmpty());
}

void DevicesView::show_devices(std::vector<DeviceRow> rows) {
  QString before = selected() ? selected()->name : QString();
  rows_ = std::move(rows);
  table_->setRowCount(int(rows_.size()));
  int current = 0;
  for (int i = 0; i < int(rows_.size()); ++i) {
    DeviceRow const& row = rows_[size_t(i)];
    QString name = row.in_use ? row.name + " (in use)" : row.name;
    QStringList texts{name, row.address, row.state, row.machine, row.roofs};
    for (int column = 0; column < kColumns; ++column) {
      auto* item = new QTableWidgetItem(texts[column]);
      item->setToolTip(texts[column]);
      table_->setItem(i, column, item);
    }
    if (row.name == before || (before.isEmpty() && row.in_use)) current = i;
  }
  if (!rows_.empty()) table_->selectRow(current);
  check_->setEnabled(true);
  show_what_is_possible();
}

void DevicesView::show_asking() {
  check_->setEnabled(false);
  for (int i = 0; i < table_->rowCount(); ++i) table_->item(i, kState)->setText("being asked");
}

void DevicesView::say(QString const& sentence) { sentence_->setText(sentence); }

void DevicesView::clear_form() {
  for (QLineEdit* edit : {name_, address_, certificate_, token_}) edit->clear();
}

}  // namespace tw
