// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/export_dialog/export_dialog.h"

#include <QDesktopServices>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QUrl>
#include <QVBoxLayout>

#include "engine/support/base/quantities.h"
#include "widgets/paint/chooser.h"
#include "widgets/paint/paint.h"

namespace tw {
namespace {

QString result_text(session::ExportView const& view) {
  QString text = QString("%1\n%2 in %3, parameters %4, runtime library %5.\n")
                     .arg(QString::fromStdString(view.folder),
                          QString::fromStdString(count_text(view.kernels, "kernel")),
                          paint::bytes(view.library_bytes), paint::bytes(view.parameter_bytes),
                          paint::bytes(view.runtime_bytes));
  if (view.shaped > 0)
    text += QString(view.shaped == 1 ? "%1 kernel uses your schedule.\n"
                                     : "%1 kernels use your schedules.\n")
                .arg(view.shaped);
  if (!view.note.empty()) text += QString::fromStdString(view.note) + ".\n";
  if (!view.tested)
    return text + "It was not run here: " + QString::fromStdString(view.not_tested_because) + ".";
  QString compared = QString("Its outputs differ from %1 by at most %2; the largest value is %3.")
                         .arg(QString::fromStdString(view.compared_with))
                         .arg(view.largest_difference, 0, 'g', 3)
                         .arg(view.largest_value, 0, 'g', 3);
  if (!view.emulator.empty())
    return text + QString("Tested stand-alone under %1. %2")
                      .arg(QString::fromStdString(view.emulator), compared);
  return text + QString("Tested stand-alone: %1 at best on %2. %3")
                    .arg(paint::time(view.least_ms),
                         QString::fromStdString(count_text(view.threads, "thread")), compared);
}

QString target_text(QString const& target, bool first) {
  return first ? "This machine" : target.section(':', 1);
}

}  // namespace

ExportDialog::ExportDialog(Choice choice, QStringList targets, QString folder, QWidget* parent)
    : QDialog(parent), choice_(std::move(choice)), parent_folder_(std::move(folder)) {
  setObjectName("exportDialog");
  setWindowTitle("Export");
  setMinimumWidth(560);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(20, 18, 20, 16);
  column->setSpacing(10);
  auto* title = new QLabel("Export " + (choice_.model.isEmpty() ? choice_.kernel : choice_.model));
  title->setProperty("role", "title");
  auto* what = new QLabel(
      "A stand-alone folder: the kernels with their current schedules, the weights, a small "
      "runtime library with a C interface, and examples in C++ and Python. Before the export "
      "finishes, it is run in a separate process and its outputs are compared.");
  what->setWordWrap(true);
  what->setProperty("role", "secondary");
  what_ = new Chooser;
  what_->setObjectName("what");
  what_->setAccessibleName("What to export");
  if (!choice_.model.isEmpty()) what_->addItem("The model " + choice_.model, false);
  if (!choice_.kernel.isEmpty()) what_->addItem("The kernel " + choice_.kernel + " alone", true);
  if (choice_.kernel_first) what_->setCurrentIndex(what_->count() - 1);
  target_ = new Chooser;
  target_->setObjectName("target");
  target_->setAccessibleName("Processor");
  for (int i = 0; i < targets.size(); ++i)
    target_->addItem(target_text(targets[i], i == 0), targets[i]);
  folder_ = new QLineEdit(proposed_ = proposal());
  folder_->setObjectName("folder");
  folder_->setAccessibleName("Folder");
  auto* choose = new QPushButton("Choose...");
  choose->setProperty("quiet", true);
  auto* place = new QHBoxLayout;
  place->addWidget(folder_, 1);
  place->addWidget(choose);
  auto* form = new QFormLayout;
  form->setSpacing(8);
  form->addRow("What", what_);
  form->addRow("Processor", target_);
  form->addRow("Folder", place);
  title_ = new QLabel;
  title_->setObjectName("exportTitle");
  title_->setProperty("role", "title");
  words_ = new QLabel;
  words_->setObjectName("exportWords");
  words_->setWordWrap(true);
  words_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  words_->setMinimumHeight(86);
  words_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  progress_ = new QProgressBar;
  progress_->setTextVisible(false);
  progress_->setFixedHeight(3);
  progress_->hide();
  export_ = new QPushButton("Export");
  export_->setProperty("primary", true);
  export_->setObjectName("export");
  export_->setDefault(true);
  cancel_ = new QPushButton("Cancel");
  cancel_->setObjectName("cancelExport");
  cancel_->setProperty("quiet", true);
  cancel_->hide();
  show_ = new QPushButton("Show its folder");
  show_->setObjectName("showFolder");
  show_->hide();
  close_ = new QPushButton("Close");
  close_->setProperty("quiet", true);
  auto* row = new QHBoxLayout;
  row->addStretch(1);
  for (QPushButton* button : {show_, cancel_, close_, export_}) row->addWidget(button);
  column->addWidget(title);
  column->addWidget(what);
  column->addLayout(form);
  column->addWidget(progress_);
  column->addWidget(title_);
  column->addWidget(words_, 1);
  column->addLayout(row);
  connect(what_, &QComboBox::currentIndexChanged, this, &ExportDialog::choose_what);
  connect(choose, &QPushButton::clicked, this, &ExportDialog::choose_folder);
  connect(export_, &QPushButton::clicked, this, &ExportDialog::begin);
  connect(cancel_, &QPushButton::clicked, this, [this] {
    cancelled_ = true;
    emit stopped();
  });
  connect(close_, &QPushButton::clicked, this, &QDialog::reject);
  connect(show_, &QPushButton::clicked, this,
          [this] { QDesktopServices::openUrl(QUrl::fromLocalFile(folder_->text().trimmed())); });
  folder_->setFocus();
  folder_->selectAll();
}

QString ExportDialog::proposal() const {
  QString name =
      what_->currentData().toBool() ? choice_.kernel : QFileInfo(choice_.model).completeBaseName();
  return QDir(parent_folder_).filePath(name.replace('/', '_') + "-export");
}

/// A folder that was typed stays.
void ExportDialog::choose_what() {
  bool typed = folder_->text() != proposed_;
  proposed_ = proposal();
  if (!typed) folder_->setText(proposed_);
}

void ExportDialog::choose_folder() {
  auto* dialog = new QFileDialog(this, "Folder to export to", folder_->text());
  dialog->setObjectName("exportFolderDialog");
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::Directory);
  dialog->setOption(QFileDialog::ShowDirsOnly);
  connect(dialog, &QFileDialog::fileSelected, folder_, &QLineEdit::setText);
  dialog->open();
}

void ExportDialog::say(QString const& title, QString const& sentence) {
  title_->setText(title);
  words_->setText(sentence);
}

void ExportDialog::begin() {
  if (folder_->text().trimmed().isEmpty())
    return say("", "Choose a folder; an earlier export in it is replaced.");
  show_->hide();
  running_ = true;
  seen_ = cancelled_ = false;
  export_->setEnabled(false);
  cancel_->show();
  say("", "Waiting for the current job");
  QString target = target_->currentData().toString(), folder = folder_->text().trimmed();
  if (what_->currentData().toBool())
    emit kernel_wanted(choice_.kernel, target, folder);
  else
    emit wanted(target, folder);
}

void ExportDialog::take(session::Snapshot const& snapshot) {
  if (!running_) return;
  bool now = snapshot.job && snapshot.job->kind == "export";
  progress_->setVisible(now);
  if (now) {
    seen_ = true;
    progress_->setRange(0, int(snapshot.job->total));
    progress_->setValue(int(snapshot.job->done));
    return say("", QString::fromStdString(snapshot.job->what));
  }
  // Another job may run before this one begins.
  if (!seen_ && !cancelled_ && !snapshot.exported && !snapshot.error) return;
  running_ = false;
  cancel_->hide();
  export_->setEnabled(true);
  show_->setVisible(snapshot.exported != nullptr);
  if (snapshot.exported) return say("Exported", result_text(*snapshot.exported));
  if (snapshot.error) return say("Not exported", QString::fromStdString(snapshot.error->sentence));
  say("Not exported", "The export was cancelled; no files were left behind.");
}

}  // namespace tw
