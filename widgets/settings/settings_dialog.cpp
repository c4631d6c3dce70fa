// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/settings/settings_dialog.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeySequenceEdit>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTabWidget>
#include <QTableWidget>
#include <algorithm>

#include "widgets/paint/chooser.h"
#include "widgets/paint/controls.h"

namespace tw {
namespace {

constexpr int kCommand = 0, kKeys = 1, kUsual = 2;

QString normal(QString const& keys) { return QKeySequence(keys).toString(); }

}  // namespace

SettingsDialog::SettingsDialog(std::vector<Setting> settings, std::vector<KeySetting> keys,
                               QWidget* parent)
    : QDialog(parent), keys_(std::move(keys)), pages_(new QTabWidget) {
  setObjectName("settings");
  setWindowTitle("Settings");
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 12);
  pages_->setObjectName("settingsPages");
  pages_->setUsesScrollButtons(false);
  column->addWidget(pages_, 1);
  for (Setting const& setting : settings) add_setting(setting);
  for (int i = 0; i < pages_->count(); ++i)
    static_cast<QVBoxLayout*>(pages_->widget(i)->layout())->addStretch(1);
  add_keys();
  auto* row = new QHBoxLayout;
  row->setContentsMargins(16, 0, 16, 0);
  row->addStretch(1);
  auto* close = controls::button("Close", "settingsClose", "Close the settings (Esc)");
  close->setDefault(true);
  connect(close, &QPushButton::clicked, this, &QDialog::accept);
  row->addWidget(close);
  column->addLayout(row);
}

QWidget* SettingsDialog::page_of(QString const& title) {
  for (int i = 0; i < pages_->count(); ++i)
    if (pages_->tabText(i) == title) return pages_->widget(i);
  auto* page = new QWidget;
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(24, 16, 24, 16);
  column->setSpacing(4);
  pages_->addTab(page, title);
  return page;
}

void SettingsDialog::add_setting(Setting const& setting) {
  QWidget* page = page_of(setting.page);
  auto* column = static_cast<QVBoxLayout*>(page->layout());
  auto* row = new QHBoxLayout;
  auto* title = controls::label(setting.name + "Title", "section");
  title->setText(setting.title);
  row->addWidget(title, 1);
  if (setting.values.size() > 1) {
    auto* chooser = new Chooser;
    chooser->setObjectName(setting.name);
    chooser->setAccessibleName(setting.title);
    for (qsizetype i = 0; i < setting.values.size(); ++i)
      chooser->addItem(setting.words.value(i, setting.values[i]), setting.values[i]);
    chooser->setCurrentIndex(std::max(0, chooser->findData(setting.value)));
    connect(chooser, &QComboBox::activated, this,
            [chooser, set = setting.set](int at) { set(chooser->itemData(at).toString()); });
    title->setBuddy(chooser);
    row->addWidget(chooser);
  } else {
    auto* value = controls::label(setting.name, "secondary", controls::Wrap::kYes);
    value->setText(setting.value);
    value->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    value->setAccessibleName(setting.title);
    row->addWidget(value, 2);
    for (SettingButton const& one : setting.buttons) {
      auto* button = controls::button(one.text, one.name, one.why);
      button->setAutoDefault(false);
      connect(button, &QPushButton::clicked, this, one.press);
      row->addWidget(button, 0, Qt::AlignTop);
    }
  }
  column->addLayout(row);
  auto* doc = controls::label(setting.name + "Doc", "label", controls::Wrap::kYes);
  doc->setText(setting.doc);
  column->addWidget(doc);
  column->addSpacing(12);
}

void SettingsDialog::tell(QString const& name, QString const& words) {
  if (auto* value = findChild<QLabel*>(name)) value->setText(words);
}

void SettingsDialog::add_keys() {
  if (keys_.empty()) return;
  QWidget* page = page_of("Keys");
  auto* column = static_cast<QVBoxLayout*>(page->layout());
  auto* find = new QLineEdit;
  find->setObjectName("settingsFindKeys");
  find->setPlaceholderText("Find a command");
  find->setAccessibleName("Find a command");
  column->addWidget(find);
  table_ = new QTableWidget(int(keys_.size()), 3);
  table_->setObjectName("settingsKeys");
  table_->setAccessibleName("Keys of commands");
  table_->setHorizontalHeaderLabels({"Command", "Keys", "Usual"});
  table_->verticalHeader()->hide();
  table_->horizontalHeader()->setSectionResizeMode(kCommand, QHeaderView::Stretch);
  table_->setColumnWidth(kKeys, 170);
  table_->setColumnWidth(kUsual, 140);
  table_->verticalHeader()->setDefaultSectionSize(QKeySequenceEdit().sizeHint().height() + 6);
  table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setTabKeyNavigation(false);
  for (int row = 0; row < int(keys_.size()); ++row) fill_row(row);
  column->addWidget(table_, 1);
  said_ = controls::label("settingsKeysSaid", "secondary", controls::Wrap::kYes);
  said_->setText("Choose a command, then press its new keys. Clear to restore the default.");
  column->addWidget(said_);
  connect(find, &QLineEdit::textChanged, this, [this](QString const& words) {
    for (int row = 0; row < table_->rowCount(); ++row)
      table_->setRowHidden(row, !keys_[size_t(row)].command.contains(words, Qt::CaseInsensitive));
  });
}

void SettingsDialog::fill_row(int row) {
  KeySetting const& key = keys_[size_t(row)];
  table_->setItem(row, kCommand, new QTableWidgetItem(key.command));
  table_->setItem(row, kUsual, new QTableWidgetItem(key.usual));
  auto* edit = new QKeySequenceEdit(QKeySequence(key.keys));
  edit->setObjectName("keysOf_" + key.command);
  edit->setAccessibleName("Keys of " + key.command);
  connect(edit, &QKeySequenceEdit::editingFinished, this, [this, row, edit] {
    choose_keys(keys_[size_t(row)].command, edit->keySequence().toString());
  });
  table_->setCellWidget(row, kKeys, edit);
}

QString SettingsDialog::owner_of(QString const& keys, QString const& but) const {
  if (keys.isEmpty()) return {};
  auto owner = std::ranges::find_if(keys_, [&](KeySetting const& one) {
    return one.command != but && normal(one.keys) == normal(keys);
  });
  return owner == keys_.end() ? QString() : owner->command;
}

void SettingsDialog::choose_keys(QString const& command, QString const& keys) {
  auto known = std::ranges::find(keys_, command, &KeySetting::command);
  if (known == keys_.end() || !table_) return;
  QString wanted = keys.isEmpty() ? known->usual : keys;
  auto* edit =
      static_cast<QKeySequenceEdit*>(table_->cellWidget(int(known - keys_.begin()), kKeys));
  if (QString owner = owner_of(wanted, command); !owner.isEmpty()) {
    edit->setKeySequence(QKeySequence(known->keys));
    return said_->setText(QString("%1 is already assigned to '%2'.").arg(wanted, owner));
  }
  edit->setKeySequence(QKeySequence(wanted));
  if (normal(wanted) == normal(known->keys)) return;
  known->keys = wanted;
  said_->setText(QString("%1: %2.").arg(command, wanted));
  emit keys_chosen(command, wanted);
}

}  // namespace tw
