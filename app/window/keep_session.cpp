// SPDX-License-Identifier: GPL-3.0-or-later
// Projects in the window: opened, saved, recovered, and how the window looked with them.
#include <QCloseEvent>
#include <QDir>
#include <QFileDialog>
#include <QMessageBox>
#include <QPushButton>
#include <QSettings>
#include <QSplitter>
#include <QTabWidget>

#include "app/shared/journal/resume.h"
#include "app/window/folding_panes.h"
#include "app/window/main_window.h"
#include "app/window/start_desk.h"
#include "app/window/view_names.h"

namespace tw {

void MainWindow::closeEvent(QCloseEvent* event) {
  save_session();
  QMainWindow::closeEvent(event);
}

void MainWindow::save_session() {
  desk_->leave(keeper_->file());
  keeper_->close();
}

bool MainWindow::restore_session() { return keeper_->restore_last(); }

void MainWindow::open_path(QString const& path) {
  if (path.startsWith("te:")) return execute(session::AddKernel{path.mid(3).toStdString()});
  if (path.startsWith("sample:")) return execute(session::OpenSample{path.mid(7).toStdString()});
  if (path.endsWith(".twproj"))
    show_action(journal::OpenProject{path.toStdString(), {}});
  else
    execute(session::OpenModel{path.toStdString()});
}

void MainWindow::watch_projects() {
  connect(keeper_, &ProjectKeeper::opened, this, &MainWindow::apply_layout);
  connect(keeper_, &ProjectKeeper::failed, this, qOverload<QString const&>(&MainWindow::say));
  connect(keeper_, &ProjectKeeper::missing, this, &MainWindow::show_missing_model);
  connect(keeper_, &ProjectKeeper::leaving, desk_, &StartDesk::leave);
  connect(keeper_, &ProjectKeeper::nothing_kept, this, [this](QString const& source) {
    Quiet quiet(depth_);  // it follows from what was asked for
    open_path(source);
  });
  connect(keeper_, &ProjectKeeper::saved, desk_, &StartDesk::remember);
  connect(keeper_, &ProjectKeeper::state_changed, this, [this] {
    QString name = QFileInfo(keeper_->file()).fileName();
    QString mark = keeper_->changed() ? " *" : "";
    setWindowTitle(name.isEmpty() ? "Tilewright" : name + mark + QStringLiteral(" – Tilewright"));
  });
}

Status MainWindow::run(journal::OpenProject const& action) {
  keeper_->open(QString::fromStdString(action.project), QString::fromStdString(action.model));
  return {};
}

Status MainWindow::run(journal::SaveProject const& action) {
  if (!snapshot_.model) return bad_input("no_model", "no model is open");
  QString file = QString::fromStdString(action.project);
  if (file.isEmpty()) file = keeper_->file();
  if (file.isEmpty()) return show_save_project_dialog(false);
  keeper_->save(file);
  return {};
}

Status MainWindow::run(journal::SaveProjectWithModel const& action) {
  if (!snapshot_.model) return bad_input("no_model", "no model is open");
  if (snapshot_.model->path.empty())
    return bad_input("nothing_to_embed", "a built-in model does not need a copy in its project");
  QString file = QString::fromStdString(action.project);
  if (file.isEmpty()) file = keeper_->file();
  if (file.isEmpty()) return show_save_project_dialog(true);
  keeper_->save(file, true);
  return {};
}

Status MainWindow::run(journal::ResumeWork const& action) {
  keeper_->resume(QString::fromStdString(action.source));
  return {};
}

Status MainWindow::run(journal::RecoverWork const&) {
  auto left = keeper_->left_behind();
  if (!left) return bad_input("nothing_to_recover", "there is no unsaved work to recover");
  keeper_->recover(left->file);
  return {};
}

Status MainWindow::run(journal::DiscardRecovery const&) {
  auto left = keeper_->left_behind();
  if (!left) return bad_input("nothing_to_recover", "there is no unsaved work to recover");
  keeper_->discard(left->file);
  return {};
}

// ---- dialogs -------------------------------------------------------------------------------

Status MainWindow::show_open_project_dialog(QString const& folder) {
  auto* dialog = new QFileDialog(this, "Open a project", folder, "Projects (*.twproj)");
  dialog->setObjectName("openProjectDialog");
  dialog->setFileMode(QFileDialog::ExistingFile);
  connect(dialog, &QFileDialog::fileSelected, this, &MainWindow::open_path);
  open(dialog);
  return {};
}

Status MainWindow::show_save_project_dialog(bool with_model) {
  if (!snapshot_.model) return bad_input("no_model", "no model is open");
  auto* dialog =
      new QFileDialog(this, with_model ? "Save the project with its model" : "Save the project",
                      keeper_->file(), "Projects (*.twproj)");
  dialog->setObjectName("saveProjectDialog");
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setDefaultSuffix("twproj");
  connect(dialog, &QFileDialog::fileSelected, this, [this, with_model](QString const& path) {
    if (with_model)
      show_action(journal::SaveProjectWithModel{path.toStdString()});
    else
      show_action(journal::SaveProject{path.toStdString()});
  });
  open(dialog);
  return {};
}

void MainWindow::offer_recovery() {
  if (keeper_->left_behind()) show_action(journal::ShowDialog{"recovery", {}});
}

Status MainWindow::show_recovery_dialog() {
  auto left = keeper_->left_behind();
  if (!left) return bad_input("nothing_to_recover", "there is no unsaved work to recover");
  auto* dialog = new QMessageBox(this);
  dialog->setObjectName("recoveryDialog");
  dialog->setWindowTitle("Recover");
  dialog->setText("Tilewright was not closed properly.");
  dialog->setInformativeText(
      QString("The work on %1 was saved at %2. Recover it now, or later at the next start.")
          .arg(left->model, left->saved.toString("yyyy-MM-dd hh:mm:ss")));
  auto* recover = dialog->addButton("Recover", QMessageBox::AcceptRole);
  auto* discard = dialog->addButton("Discard", QMessageBox::DestructiveRole);
  auto* later = dialog->addButton("Later", QMessageBox::RejectRole);
  dialog->setDefaultButton(recover);
  dialog->setEscapeButton(later);
  connect(dialog, &QMessageBox::buttonClicked, this, [=, this](QAbstractButton* button) {
    if (button == recover) show_action(journal::RecoverWork{});
    if (button == discard) show_action(journal::DiscardRecovery{});
  });
  open(dialog);
  return {};
}

void MainWindow::show_missing_model(QString const& project, QString const& sentence) {
  say(sentence);
  auto* dialog = new QMessageBox(this);
  dialog->setObjectName("missingModelDialog");
  dialog->setWindowTitle("Missing model");
  dialog->setText("The project's model is missing.");
  dialog->setInformativeText(sentence + ".");
  auto* locate = dialog->addButton(QStringLiteral("Locate…"), QMessageBox::AcceptRole);
  dialog->addButton(QMessageBox::Cancel);
  connect(dialog, &QMessageBox::buttonClicked, this, [=, this](QAbstractButton* button) {
    if (button != locate) return;
    auto* files = new QFileDialog(this, "Locate the model", QFileInfo(project).path(),
                                  "Models and kernels (*.onnx *.te);;All files (*)");
    files->setObjectName("locateDialog");
    files->setFileMode(QFileDialog::ExistingFile);
    connect(files, &QFileDialog::fileSelected, this, [this, project](QString const& model) {
      show_action(journal::OpenProject{project.toStdString(), model.toStdString()});
    });
    open(files);
  });
  open(dialog);
}

// ---- how the window looks ------------------------------------------------------------------

ProjectKeeper::Layout MainWindow::layout() const {
  ProjectKeeper::Layout layout{
      {"theme", QString(theme_name_).replace('_', '-').toStdString()},
      {"size", QString("%1 %2").arg(width()).arg(height()).toStdString()},
      {"view", view_name(centre_->tabText(centre_->currentIndex())).toStdString()}};
  for (Placed const& placed : panes_) layout.merge(placed.pane->layout());
  for (auto const& [panes, sizes] : pane_sizes()) layout["panes " + panes] = sizes;
  return layout;
}

std::map<std::string, std::string> MainWindow::pane_sizes() const {
  std::map<std::string, std::string> all;
  for (QSplitter const* panes : centralWidget()->findChildren<QSplitter*>())
    if (!panes->objectName().isEmpty())
      all[panes->objectName().toStdString()] = sizes_text(*panes).toStdString();
  return all;
}

/// What another version of the program wrote and this one does not know is left out.
void MainWindow::apply_layout(ProjectKeeper::Layout const& layout, bool all) {
  Quiet quiet(depth_);
  for (auto const& [key, value] : layout) {
    if (key == "theme") (void)run(journal::SetTheme{value});
    QStringList size = QString::fromStdString(value).split(' ');
    if (key == "size" && all && !size_is_wished_ && size.size() == 2)
      (void)run(journal::ResizeWindow{size[0].toInt(), size[1].toInt()});
  }
  for (Placed const& placed : panes_) placed.pane->apply_layout(layout);
  for (auto const& [key, value] : layout) {
    if (key.starts_with("panes ")) (void)run(journal::ArrangePanes{key.substr(6), value});
    if (key == "view") (void)run(journal::ShowView{value});
  }
  if (!keeper_->file().isEmpty()) desk_->remember(keeper_->file());
}

}  // namespace tw
