// SPDX-License-Identifier: GPL-3.0-or-later
// Schedules replayed on another kernel.
#include <QDialogButtonBox>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>

#include "app/window/dialogs/dialog.h"

namespace tw::dialog_replay {
namespace {

struct Parts {
  QDialog* dialog;
  QLineEdit* find;
  QListWidget* list;
};

Parts make(QWidget* window) {
  auto* dialog = new QDialog(window);
  dialog->setObjectName("replayDialog");
  dialog->setWindowTitle("Replay on another kernel");
  dialog->resize(460, 420);
  auto* column = new QVBoxLayout(dialog);
  auto* find = new QLineEdit;
  find->setPlaceholderText("Find a kernel");
  auto* list = new QListWidget;
  list->setObjectName("replayKernels");
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
  auto* take = buttons->addButton("Replay", QDialogButtonBox::AcceptRole);
  take->setProperty("primary", true);
  column->addWidget(find);
  column->addWidget(list, 1);
  column->addWidget(buttons);
  QObject::connect(find, &QLineEdit::returnPressed, dialog, &QDialog::accept);
  QObject::connect(list, &QListWidget::itemActivated, dialog, &QDialog::accept);
  QObject::connect(buttons, &QDialogButtonBox::accepted, dialog, &QDialog::accept);
  QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
  return {dialog, find, list};
}

Status open(Workbench& bench, QWidget* window, QString const&) {
  session::Snapshot const& now = bench.snapshot();
  if (!now.kernels || !now.history) return bad_input("no_kernel", "no kernel is selected");
  if (now.history->current == 0)
    return bad_input("nothing_to_replay", "the unscheduled loop nest has no steps to replay");
  auto [dialog, find, list] = make(window);
  auto fill = [&bench, list = list](QString const& words) {
    list->clear();
    session::Snapshot const& newest = bench.snapshot();
    for (size_t i = 0; i < newest.kernels->rows.size(); ++i) {
      QString name = QString::fromStdString(newest.kernels->rows[i].name);
      if (int(i) != newest.kernel && name.contains(words, Qt::CaseInsensitive)) list->addItem(name);
    }
    list->setCurrentRow(0);
  };
  QObject::connect(find, &QLineEdit::textChanged, dialog, fill);
  QObject::connect(dialog, &QDialog::accepted, window, [&bench, list = list] {
    if (list->currentItem())
      bench.execute(session::ReplayOn{list->currentItem()->text().toStdString()});
  });
  fill("");
  bench.open(dialog);
  find->setFocus();
  return {};
}

}  // namespace

DialogRow const& row() {
  static DialogRow const row{"replay", &open};
  return row;
}

}  // namespace tw::dialog_replay
