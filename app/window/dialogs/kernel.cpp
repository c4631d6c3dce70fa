// SPDX-License-Identifier: GPL-3.0-or-later
// Kernels of the user's own.
#include <QFileDialog>
#include <QVariant>
#include <QWidget>

#include "app/window/dialogs/dialog.h"
#include "engine/session/use_cases.h"
#include "engine/support/files.h"
#include "widgets/expression/kernel_dialog.h"

namespace tw::dialog_kernel {
namespace {

constexpr char kEmptyKernel[] =
    "tilewright te 1\n"
    "kernel mine(A: f32[64, 64], B: f32[64, 64]) -> C\n"
    "  C[i in 64, j in 64] = sum[k in 64] A[i, k] * B[k, j]\n";

constexpr char kDraft[] = "kernelDraft";  // a property of the window

void ask_file(Workbench& bench, QWidget* window, QString const& text) {
  auto* dialog = new QFileDialog(window, "Save the kernel", {}, "Tensor expressions (*.te)");
  dialog->setObjectName("saveKernelDialog");
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setDefaultSuffix("te");
  QObject::connect(dialog, &QFileDialog::fileSelected, window, [&bench, text](QString const& path) {
    if (Status status = write_output(path.toStdString(), text.toStdString()); !status)
      bench.say(status.error(), typeid(journal::ShowDialog));
  });
  bench.open(dialog);
}

/// Of a kernel that the user wrote; empty: it is none.
std::string own_text(session::Snapshot const& now, QString const& name) {
  if (!now.kernels) return {};
  for (session::KernelRow const& row : now.kernels->rows)
    if (row.name == name.toStdString()) return row.own_text;
  return {};
}

/// A new kernel, or (by name) one that the user wrote. What was typed and not taken is there again.
Status open(Workbench& bench, QWidget* window, QString const& name) {
  std::string const own = own_text(bench.snapshot(), name);
  if (!name.isEmpty() && own.empty())
    return bad_input("not_your_kernel", "only kernels that you wrote can be edited");
  auto* dialog =
      new KernelDialog(session::expression_examples(), session::problems_in, bench.theme(), window);
  QString const draft = window->property(kDraft).toString();
  QString begun = draft.isEmpty() ? QString(kEmptyKernel) : draft;
  dialog->begin(name.isEmpty() ? begun : QString::fromStdString(own), !name.isEmpty());
  QObject::connect(dialog, &KernelDialog::save_asked, window,
                   [&bench, window](QString const& shown) { ask_file(bench, window, shown); });
  QObject::connect(dialog, &QDialog::finished, window, [&bench, window, dialog, name](int taken) {
    std::string now = dialog->text().toStdString();
    if (name.isEmpty()) window->setProperty(kDraft, taken ? QString() : dialog->text());
    if (!taken) return;
    if (name.isEmpty())
      bench.execute(session::AddKernel{now});
    else
      bench.execute(session::RewriteKernel{name.toStdString(), now});
  });
  bench.open(dialog);
  return {};
}

}  // namespace

DialogRow const& row() {
  static DialogRow const row{"kernel", &open};
  return row;
}

}  // namespace tw::dialog_kernel
