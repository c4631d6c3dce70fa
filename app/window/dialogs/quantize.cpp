// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDir>
#include <QFileInfo>

#include "app/window/dialogs/dialog.h"
#include "widgets/quantize_dialog/quantize_dialog.h"

namespace tw::dialog_quantize {
namespace {

/// Proposes a file for the int8 model: beside the model, under a name of its own.
Status open(Workbench& bench, QWidget* window, QString const& what) {
  auto const& model = bench.snapshot().model;
  if (!model) return bad_input("no_model", "no model is open");
  QFileInfo file(QString::fromStdString(model->path.empty() ? model->name : model->path));
  QString folder = model->path.empty() ? QDir::homePath() : file.absolutePath();
  auto* dialog = new QuantizeDialog(QString::fromStdString(model->name),
                                    QDir(folder).filePath(file.completeBaseName() + "_bytes.onnx"),
                                    what == "dense", window);
  QObject::connect(dialog, &QuantizeDialog::wanted, window,
                   [&bench](session::Quantize const& how) { bench.execute(how); });
  bench.open(dialog);
  return {};
}

}  // namespace

DialogRow const& row() {
  static DialogRow const row{"quantize", &open};
  return row;
}

}  // namespace tw::dialog_quantize
