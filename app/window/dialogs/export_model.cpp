// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/export_dialog/export_dialog.h"

#include <QDir>

#include "app/window/dialogs/dialog.h"

namespace tw::dialog_export_model {
namespace {

/// What there is to export. A tensor expression is its kernel: there is nothing around it.
ExportDialog::Choice choice_of(session::Snapshot const& now) {
  ExportDialog::Choice choice;
  bool has_graph = now.graph && !now.graph->nodes.empty();
  if (has_graph) choice.model = QString::fromStdString(now.model->name);
  if (now.kernels && now.kernel >= 0) {
    session::KernelRow const& row = now.kernels->rows[size_t(now.kernel)];
    choice.kernel = QString::fromStdString(row.name);
    choice.kernel_first = !row.own_text.empty();
  }
  return choice;
}

Status open(Workbench& bench, QWidget* window, QString const&) {
  if (!bench.snapshot().model) return bad_input("no_model", "no model is open");
  QStringList targets;
  for (std::string const& target : bench.live().export_targets())
    targets << QString::fromStdString(target);
  if (targets.isEmpty())
    return environment_failed("no_runtime", "this build of Tilewright cannot export models");
  auto* dialog = new ExportDialog(choice_of(bench.snapshot()), targets, QDir::homePath(), window);
  QObject::connect(dialog, &ExportDialog::wanted, window, [&bench](QString target, QString folder) {
    bench.execute(session::Export{target.toStdString(), folder.toStdString()});
  });
  QObject::connect(dialog, &ExportDialog::kernel_wanted, window,
                   [&bench](QString kernel, QString target, QString folder) {
                     bench.execute(session::ExportKernel{kernel.toStdString(), target.toStdString(),
                                                         folder.toStdString()});
                   });
  QObject::connect(dialog, &ExportDialog::stopped, window,
                   [&bench] { bench.execute(session::CancelJob{}); });
  bench.open(dialog);
  return {};
}

}  // namespace

DialogRow const& row() {
  static DialogRow const row{"export", &open};
  return row;
}

}  // namespace tw::dialog_export_model
