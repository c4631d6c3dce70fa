// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/parts/dialogs.h"

#include <QDialog>

#include "app/window/dialogs/dialog.h"
#include "app/window/parts/performer.h"

namespace tw {

Dialogs::Dialogs(QWidget& window, Workbench& bench, Performer& performer,
                 std::function<void()> given_up)
    : window_(window), bench_(bench), performer_(performer), given_up_(std::move(given_up)) {
  bench_.on<journal::ShowDialog>([this](journal::ShowDialog const& action) -> Status {
    auto dialog = dialogs_.find(action.dialog);
    if (dialog != dialogs_.end()) return dialog->second(QString::fromStdString(action.argument));
    return bad_input("unknown_dialog", "there is no dialog '" + action.dialog + "'");
  });
  bench_.on<journal::CloseDialog>([this](journal::CloseDialog const&) -> Status {
    QDialog* dialog = current();
    if (!dialog) return bad_input("no_dialog", "no dialog is open");
    dialog->reject();
    return {};
  });
}

void Dialogs::add_all() {
  for (DialogRow const* row : dialog_table())
    add(row->name,
        [this, row](QString const& argument) { return row->open(bench_, &window_, argument); });
}

QDialog* Dialogs::current() const {
  QDialog* last = nullptr;
  for (QDialog* dialog : window_.findChildren<QDialog*>())
    if (dialog->isVisible()) last = dialog;
  return last;
}

void Dialogs::open(QDialog* dialog, QSize room) {
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  QObject::connect(dialog, &QDialog::finished, &window_, [this] {
    if (performer_.rests()) performer_.recorder().add(journal::Action(journal::CloseDialog{}));
  });
  QObject::connect(dialog, &QDialog::rejected, &window_, [this] { given_up_(); });
  double const scale = bench_.theme().scale;
  // Without a size of its own it is as large as what it holds.
  bool sized = dialog->testAttribute(Qt::WA_Resized);
  if (scale != 1) dialog->setMinimumSize(dialog->minimumSize() * scale);
  if (scale != 1 && sized) dialog->resize((dialog->size() * scale).boundedTo(room));
  dialog->open();
}

}  // namespace tw
