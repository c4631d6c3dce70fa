// SPDX-License-Identifier: GPL-3.0-or-later
#include <QInputDialog>

#include "app/window/dialogs/dialog.h"

namespace tw::dialog_note {
namespace {

Status open(Workbench& bench, QWidget* window, QString const& step) {
  int const node = step.isEmpty() ? -1 : step.toInt();
  auto const& history = bench.snapshot().history;
  if (!history || node < 0 || size_t(node) >= history->nodes.size())
    return bad_input("unknown_node", "there is no such step");
  session::HistoryNodeView const& shown = history->nodes[size_t(node)];
  auto* dialog = new QInputDialog(window);
  dialog->setObjectName("noteDialog");
  dialog->setWindowTitle("Note");
  dialog->setLabelText("A note on " + QString::fromStdString(shown.label));
  dialog->setTextValue(QString::fromStdString(shown.note));
  dialog->setMinimumWidth(420);
  QObject::connect(dialog, &QInputDialog::textValueSelected, window,
                   [&bench, node](QString const& text) {
                     bench.execute(session::SetNote{node, text.toStdString()});
                   });
  bench.open(dialog);
  return {};
}

}  // namespace

DialogRow const& row() {
  static DialogRow const row{"note", &open};
  return row;
}

}  // namespace tw::dialog_note
