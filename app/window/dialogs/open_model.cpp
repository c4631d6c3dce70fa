// SPDX-License-Identifier: GPL-3.0-or-later
#include <QFileDialog>

#include "app/window/dialogs/dialog.h"

namespace tw::dialog_open_model {
namespace {

Status open(Workbench& bench, QWidget* window, QString const&) {
  auto* dialog = new QFileDialog(window, "Open a model", {},
                                 "Models and kernels (*.onnx *.te);;All files (*)");
  dialog->setObjectName("openDialog");
  dialog->setFileMode(QFileDialog::ExistingFile);
  QObject::connect(dialog, &QFileDialog::fileSelected, window, [&bench](QString const& path) {
    bench.execute(session::OpenModel{path.toStdString()});
  });
  bench.open(dialog);
  return {};
}

}  // namespace

DialogRow const& row() {
  static DialogRow const row{"open", &open};
  return row;
}

}  // namespace tw::dialog_open_model
