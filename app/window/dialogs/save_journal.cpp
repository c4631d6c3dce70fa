// SPDX-License-Identifier: GPL-3.0-or-later
#include <QFileDialog>

#include "app/window/dialogs/dialog.h"
#include "app/window/recorder.h"
#include "engine/support/files.h"

namespace tw::dialog_save_journal {
namespace {

Status open(Workbench& bench, QWidget* window, QString const&) {
  auto* dialog = new QFileDialog(window, "Save the journal", {}, "Journals (*.journal)");
  dialog->setObjectName("saveJournalDialog");
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setDefaultSuffix("journal");
  QObject::connect(dialog, &QFileDialog::fileSelected, window, [&bench](QString const& path) {
    if (Status status = write_output(path.toStdString(), bench.recorder().text()); !status)
      bench.say(status.error(), typeid(journal::ShowDialog));
  });
  bench.open(dialog);
  return {};
}

}  // namespace

DialogRow const& row() {
  static DialogRow const row{"save-journal", &open};
  return row;
}

}  // namespace tw::dialog_save_journal
