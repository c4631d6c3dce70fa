// SPDX-License-Identifier: GPL-3.0-or-later
// The window's dialogs. None of them blocks: a journal goes on while one is open.
#include <QDialog>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QInputDialog>
#include <algorithm>

#include "app/window/main_window.h"
#include "engine/support/files.h"
#include "widgets/export_dialog/export_dialog.h"
#include "widgets/quantize_dialog/quantize_dialog.h"
#include "widgets/step_dialog/step_dialog.h"

namespace tw {

QDialog* MainWindow::open_dialog() const {
  QDialog* last = nullptr;
  for (QDialog* dialog : findChildren<QDialog*>())
    if (dialog->isVisible()) last = dialog;
  return last;
}

void MainWindow::open(QDialog* dialog) {
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &QDialog::finished, this, [this] {
    if (depth_ == 0) recorder_.add(journal::Action(journal::CloseDialog{}));
  });
  // What a dialog could not do is past when it is given up.
  connect(dialog, &QDialog::rejected, this, [this] { forget_trouble(journal::CloseDialog{}); });
  // Sizes that it was given are in units; without them it is as large as what it holds.
  bool sized = dialog->testAttribute(Qt::WA_Resized);
  if (theme_.scale != 1) dialog->setMinimumSize(dialog->minimumSize() * theme_.scale);
  if (theme_.scale != 1 && sized) dialog->resize((dialog->size() * theme_.scale).boundedTo(room()));
  dialog->open();
}

/// A step that says all by its loop is taken at once; the others ask in a dialog.
void MainWindow::ask_step(QString const& primitive) {
  if (!snapshot_.nest) return;
  QString selected;
  for (session::LoopBar const& bar : snapshot_.nest->bars)
    if (bar.id == selection_->loop()) selected = QString::fromStdString(bar.reference);
  for (session::PrimitiveView const& view : primitives_) {
    if (QString::fromStdString(view.name) != primitive) continue;
    if (view.targets != 1 || !view.parameters.empty()) break;
    bool of_block = view.target_kinds == std::vector<std::string>{"block"};
    QString target = of_block ? selected.section('.', 0, 0) : selected;
    return selected.isEmpty() ? say("Select a loop first")
                              : apply_line(primitive + "(" + target + ")");
  }
  show_action(journal::ShowDialog{"step", primitive.toStdString()});
}

Status MainWindow::show_step_dialog(QString const& primitive) {
  if (!snapshot_.nest) return bad_input("no_kernel", "no kernel is selected");
  QString selected;
  for (session::LoopBar const& bar : snapshot_.nest->bars)
    if (bar.id == selection_->loop()) selected = QString::fromStdString(bar.reference);
  for (session::PrimitiveView const& view : primitives_) {
    if (QString::fromStdString(view.name) != primitive) continue;
    auto* dialog = new StepDialog(
        view, StepNames::of(*snapshot_.nest), selected,
        [this](std::string const& line) { return session_.preview(line); }, theme_, this);
    auto point = [this, dialog](QString const& line) { selection_->point_at(line, dialog); };
    connect(dialog, &StepDialog::pointed, selection_, point);
    connect(dialog, &QDialog::finished, selection_, [point] { point({}); });
    connect(dialog, &QDialog::accepted, this, [this, dialog] { apply_line(dialog->line()); });
    open(dialog);
    // Over the views below: the loops above show what the step would do.
    int left = (width() - dialog->width()) / 2, top = height() - dialog->height() - 36;
    dialog->move(mapToGlobal(QPoint(std::max(0, left), std::max(0, top))));
    point(dialog->legal_line());
    return {};
  }
  return bad_input("unknown_primitive", "there is no primitive '" + primitive.toStdString() + "'");
}

Status MainWindow::show_note_dialog(int node) {
  if (!snapshot_.history || node < 0 || size_t(node) >= snapshot_.history->nodes.size())
    return bad_input("unknown_node", "there is no such step");
  auto const& shown = snapshot_.history->nodes[size_t(node)];
  auto* dialog = new QInputDialog(this);
  dialog->setObjectName("noteDialog");
  dialog->setWindowTitle("Note");
  dialog->setLabelText("A note on " + QString::fromStdString(shown.label));
  dialog->setTextValue(QString::fromStdString(shown.note));
  dialog->setMinimumWidth(420);
  connect(dialog, &QInputDialog::textValueSelected, this, [this, node](QString const& text) {
    execute(session::SetNote{node, text.toStdString()});
  });
  open(dialog);
  return {};
}

Status MainWindow::show_open_dialog() {
  auto* dialog =
      new QFileDialog(this, "Open a model", {}, "Models and kernels (*.onnx *.te);;All files (*)");
  dialog->setObjectName("openDialog");
  dialog->setFileMode(QFileDialog::ExistingFile);
  connect(dialog, &QFileDialog::fileSelected, this,
          [this](QString const& path) { execute(session::OpenModel{path.toStdString()}); });
  open(dialog);
  return {};
}

Status MainWindow::show_export_dialog() {
  if (!snapshot_.model) return bad_input("no_model", "no model is open");
  QStringList targets;
  for (std::string const& target : session_.export_targets())
    targets << QString::fromStdString(target);
  if (targets.isEmpty())
    return environment_failed("no_runtime", "this build of Tilewright cannot export models");
  ExportDialog::Choice choice;
  // A tensor expression is its kernel: there is nothing around it.
  bool has_graph = snapshot_.graph && !snapshot_.graph->nodes.empty();
  if (has_graph) choice.model = QString::fromStdString(snapshot_.model->name);
  if (snapshot_.kernels && snapshot_.kernel >= 0) {
    session::KernelRow const& row = snapshot_.kernels->rows[size_t(snapshot_.kernel)];
    choice.kernel = QString::fromStdString(row.name);
    choice.kernel_first = !row.own_text.empty();
  }
  auto* dialog = new ExportDialog(choice, targets, QDir::homePath(), this);
  connect(dialog, &ExportDialog::wanted, this, [this](QString target, QString folder) {
    execute(session::Export{target.toStdString(), folder.toStdString()});
  });
  connect(dialog, &ExportDialog::kernel_wanted, this,
          [this](QString kernel, QString target, QString folder) {
            execute(session::ExportKernel{kernel.toStdString(), target.toStdString(),
                                          folder.toStdString()});
          });
  connect(dialog, &ExportDialog::stopped, this, [this] { execute(session::CancelJob{}); });
  open(dialog);
  return {};
}

/// Proposes a file for the model of bytes: beside the model, under a name of its own.
Status MainWindow::show_quantize_dialog(bool dense) {
  if (!snapshot_.model) return bad_input("no_model", "no model is open");
  QFileInfo model(QString::fromStdString(snapshot_.model->path.empty() ? snapshot_.model->name
                                                                       : snapshot_.model->path));
  QString folder = snapshot_.model->path.empty() ? QDir::homePath() : model.absolutePath();
  auto* dialog = new QuantizeDialog(QString::fromStdString(snapshot_.model->name),
                                    QDir(folder).filePath(model.completeBaseName() + "_bytes.onnx"),
                                    dense, this);
  connect(dialog, &QuantizeDialog::wanted, this,
          [this](session::Quantize const& how) { execute(how); });
  open(dialog);
  return {};
}

Status MainWindow::show_save_journal_dialog() {
  auto* dialog = new QFileDialog(this, "Save the journal", {}, "Journals (*.journal)");
  dialog->setObjectName("saveJournalDialog");
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setDefaultSuffix("journal");
  connect(dialog, &QFileDialog::fileSelected, this, [this](QString const& path) {
    if (Status status = write_output(path.toStdString(), recorder_.text()); !status)
      say(status.error(), typeid(journal::ShowDialog));
  });
  open(dialog);
  return {};
}

}  // namespace tw
