// SPDX-License-Identifier: GPL-3.0-or-later
// Schedules taken over to another kernel, and kernels of the user's own.
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "app/window/main_window.h"
#include "engine/session/use_cases.h"
#include "engine/support/files.h"
#include "widgets/expression/kernel_dialog.h"

namespace tw {

namespace {

constexpr char kEmptyKernel[] =
    "tilewright te 1\n"
    "kernel mine(A: f32[64, 64], B: f32[64, 64]) -> C\n"
    "  C[i in 64, j in 64] = sum[k in 64] A[i, k] * B[k, j]\n";

}  // namespace

Status MainWindow::show_replay_dialog() {
  if (!snapshot_.kernels || !snapshot_.history)
    return bad_input("no_kernel", "no kernel is selected");
  if (snapshot_.history->current == 0)
    return bad_input("nothing_to_replay", "the unscheduled loop nest has no steps to replay");
  auto* dialog = new QDialog(this);
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
  auto fill = [this, list](QString const& words) {
    list->clear();
    for (size_t i = 0; i < snapshot_.kernels->rows.size(); ++i) {
      QString name = QString::fromStdString(snapshot_.kernels->rows[i].name);
      if (int(i) != snapshot_.kernel && name.contains(words, Qt::CaseInsensitive))
        list->addItem(name);
    }
    list->setCurrentRow(0);
  };
  connect(find, &QLineEdit::textChanged, dialog, fill);
  connect(find, &QLineEdit::returnPressed, dialog, &QDialog::accept);
  connect(list, &QListWidget::itemActivated, dialog, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::accepted, dialog, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
  connect(dialog, &QDialog::accepted, this, [this, list] {
    if (list->currentItem()) execute(session::ReplayOn{list->currentItem()->text().toStdString()});
  });
  fill("");
  open(dialog);
  find->setFocus();
  return {};
}

/// A new kernel, or (by name) one that the user wrote. What was typed and not taken is there again.
Status MainWindow::show_kernel_dialog(QString const& name) {
  std::string text;
  if (!name.isEmpty()) {
    for (session::KernelRow const& row :
         snapshot_.kernels ? snapshot_.kernels->rows : std::vector<session::KernelRow>())
      if (row.name == name.toStdString()) text = row.own_text;
    if (text.empty())
      return bad_input("not_your_kernel", "only kernels that you wrote can be edited");
  }
  auto* dialog =
      new KernelDialog(session::expression_examples(), session::problems_in, theme_, this);
  QString draft = draft_.isEmpty() ? QString(kEmptyKernel) : draft_;
  dialog->begin(name.isEmpty() ? draft : QString::fromStdString(text), !name.isEmpty());
  connect(dialog, &KernelDialog::save_asked, this,
          [this](QString const& shown) { ask_kernel_file(shown); });
  connect(dialog, &QDialog::finished, this, [this, dialog, name](int taken) {
    std::string now = dialog->text().toStdString();
    if (name.isEmpty()) draft_ = taken ? QString() : dialog->text();
    if (!taken) return;
    if (name.isEmpty())
      execute(session::AddKernel{now});
    else
      execute(session::RewriteKernel{name.toStdString(), now});
  });
  open(dialog);
  return {};
}

void MainWindow::ask_kernel_file(QString const& text) {
  auto* dialog = new QFileDialog(this, "Save the kernel", {}, "Tensor expressions (*.te)");
  dialog->setObjectName("saveKernelDialog");
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setDefaultSuffix("te");
  connect(dialog, &QFileDialog::fileSelected, this, [this, text](QString const& path) {
    if (Status status = write_output(path.toStdString(), text.toStdString()); !status)
      say(status.error(), typeid(journal::ShowDialog));
  });
  open(dialog);
}

void MainWindow::build_history_actions() {
  add_action("New kernel", "Ctrl+N", [this] { show_action(journal::ShowDialog{"kernel", {}}); });
  add_action("Edit this kernel's expression", "Ctrl+E", [this] {
    bool known = snapshot_.kernels && snapshot_.kernel >= 0;
    show_action(journal::ShowDialog{
        "kernel", known ? snapshot_.kernels->rows[size_t(snapshot_.kernel)].name : "none"});
  });
  add_action("Replay on another kernel", "Ctrl+Shift+R", [this] {
    show_action(journal::ShowDialog{"replay", {}});
  });
  add_action("Write a note on the current state", "", [this] {
    int current = snapshot_.history ? snapshot_.history->current : 0;
    show_action(journal::ShowDialog{"note", std::to_string(current)});
  });
}

}  // namespace tw
