// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/parts/projects.h"

#include <QFileDialog>
#include <QMessageBox>
#include <QPushButton>
#include <QTabWidget>

#include "app/shared/journal/resume.h"
#include "app/window/parts/docks.h"
#include "app/window/parts/look.h"
#include "app/window/parts/performer.h"
#include "app/window/start_controller.h"
#include "app/window/view_names.h"

namespace tw {

Projects::Projects(QMainWindow& window, Workbench& bench, Performer& performer, PaneList& panes,
                   Docks& docks, Look& look, StartController& desk, QString const& state_folder)
    : window_(window),
      bench_(bench),
      performer_(performer),
      panes_(panes),
      docks_(docks),
      look_(look),
      desk_(desk),
      keeper_(bench.live(), state_folder, [this] { return layout(); }) {
  add_handlers();
  add_dialogs();
  connect(&keeper_, &ProjectStore::opened, this, &Projects::apply_layout);
  connect(&keeper_, &ProjectStore::failed, this,
          [this](QString const& sentence) { bench_.say(sentence); });
  connect(&keeper_, &ProjectStore::missing, this, &Projects::show_missing_model);
  connect(&keeper_, &ProjectStore::leaving, &desk_, &StartController::leave);
  connect(&keeper_, &ProjectStore::nothing_kept, this, [this](QString const& source) {
    Performer::Quiet quiet(performer_);  // it follows from what was asked for
    open_path(source);
  });
  connect(&keeper_, &ProjectStore::saved, &desk_, &StartController::remember);
  connect(&keeper_, &ProjectStore::state_changed, this, &Projects::show_title);
}

void Projects::add_handlers() {
  using namespace journal;
  bench_.on<OpenProject>([this](OpenProject const& action) -> Status {
    keeper_.open(QString::fromStdString(action.project), QString::fromStdString(action.model));
    return {};
  });
  bench_.on<SaveProject>([this](SaveProject const& action) { return save(action.project, false); });
  bench_.on<SaveProjectWithModel>(
      [this](SaveProjectWithModel const& action) { return save(action.project, true); });
  bench_.on<ResumeWork>([this](ResumeWork const& action) -> Status {
    keeper_.resume(QString::fromStdString(action.source));
    return {};
  });
  bench_.on<RecoverWork>([this](RecoverWork const&) -> Status {
    TRY_ASSIGN(ProjectStore::LeftBehind left, left_behind());
    keeper_.recover(left.file);
    return {};
  });
  bench_.on<DiscardRecovery>([this](DiscardRecovery const&) -> Status {
    TRY_ASSIGN(ProjectStore::LeftBehind left, left_behind());
    keeper_.discard(left.file);
    return {};
  });
}

void Projects::add_dialogs() {
  bench_.add_dialog("open-project",
                    [this](QString const& folder) { return show_open_dialog(folder); });
  bench_.add_dialog("save-project",
                    [this](QString const& what) { return show_save_dialog(what == "with-model"); });
  bench_.add_dialog("recovery", [this](QString const&) { return show_recovery_dialog(); });
}

void Projects::open_path(QString const& path) {
  if (path.startsWith("te:")) return bench_.execute(session::AddKernel{path.mid(3).toStdString()});
  if (path.startsWith("sample:"))
    return bench_.execute(session::OpenSample{path.mid(7).toStdString()});
  if (path.endsWith(".twproj"))
    bench_.ask(journal::OpenProject{path.toStdString(), {}});
  else
    bench_.execute(session::OpenModel{path.toStdString()});
}

void Projects::offer_recovery() {
  if (keeper_.left_behind()) bench_.ask(journal::ShowDialog{"recovery", {}});
}

void Projects::close() {
  desk_.leave(keeper_.file());
  keeper_.close();
}

Status Projects::save(std::string const& wanted, bool with_model) {
  auto const& model = bench_.snapshot().model;
  if (!model) return bad_input("no_model", "no model is open");
  if (with_model && model->path.empty())
    return bad_input("nothing_to_embed", "a built-in model does not need a copy in its project");
  QString file = wanted.empty() ? keeper_.file() : QString::fromStdString(wanted);
  if (file.isEmpty()) return show_save_dialog(with_model);
  keeper_.save(file, with_model);
  return {};
}

Result<ProjectStore::LeftBehind> Projects::left_behind() {
  auto left = keeper_.left_behind();
  if (!left) return bad_input("nothing_to_recover", "there is no unsaved work to recover");
  return *left;
}

void Projects::show_title() {
  QString name = QFileInfo(keeper_.file()).fileName();
  QString mark = keeper_.changed() ? " *" : "";
  window_.setWindowTitle(name.isEmpty() ? "Tilewright"
                                        : name + mark + QStringLiteral(" – Tilewright"));
}

// ---- dialogs -------------------------------------------------------------------------------

Status Projects::show_open_dialog(QString const& folder) {
  auto* dialog = new QFileDialog(&window_, "Open a project", folder, "Projects (*.twproj)");
  dialog->setObjectName("openProjectDialog");
  dialog->setFileMode(QFileDialog::ExistingFile);
  connect(dialog, &QFileDialog::fileSelected, this, &Projects::open_path);
  bench_.open(dialog);
  return {};
}

Status Projects::show_save_dialog(bool with_model) {
  if (!bench_.snapshot().model) return bad_input("no_model", "no model is open");
  auto* dialog =
      new QFileDialog(&window_, with_model ? "Save the project with its model" : "Save the project",
                      keeper_.file(), "Projects (*.twproj)");
  dialog->setObjectName("saveProjectDialog");
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setDefaultSuffix("twproj");
  connect(dialog, &QFileDialog::fileSelected, this, [this, with_model](QString const& path) {
    if (with_model)
      bench_.ask(journal::SaveProjectWithModel{path.toStdString()});
    else
      bench_.ask(journal::SaveProject{path.toStdString()});
  });
  bench_.open(dialog);
  return {};
}

Status Projects::show_recovery_dialog() {
  TRY_ASSIGN(ProjectStore::LeftBehind left, left_behind());
  auto* dialog = new QMessageBox(&window_);
  dialog->setObjectName("recoveryDialog");
  dialog->setWindowTitle("Recover");
  dialog->setText("Tilewright was not closed properly.");
  dialog->setInformativeText(
      QString("The work on %1 was saved at %2. Recover it now, or later at the next start.")
          .arg(left.model, left.saved.toString("yyyy-MM-dd hh:mm:ss")));
  auto* recover = dialog->addButton("Recover", QMessageBox::AcceptRole);
  auto* discard = dialog->addButton("Discard", QMessageBox::DestructiveRole);
  auto* later = dialog->addButton("Later", QMessageBox::RejectRole);
  dialog->setDefaultButton(recover);
  dialog->setEscapeButton(later);
  connect(dialog, &QMessageBox::buttonClicked, this, [=, this](QAbstractButton* button) {
    if (button == recover) bench_.ask(journal::RecoverWork{});
    if (button == discard) bench_.ask(journal::DiscardRecovery{});
  });
  bench_.open(dialog);
  return {};
}

void Projects::show_missing_model(QString const& project, QString const& sentence) {
  bench_.say(sentence);
  auto* dialog = new QMessageBox(&window_);
  dialog->setObjectName("missingModelDialog");
  dialog->setWindowTitle("Missing model");
  dialog->setText("The project's model is missing.");
  dialog->setInformativeText(sentence + ".");
  auto* locate = dialog->addButton(QStringLiteral("Locate…"), QMessageBox::AcceptRole);
  dialog->addButton(QMessageBox::Cancel);
  connect(dialog, &QMessageBox::buttonClicked, this, [=, this](QAbstractButton* button) {
    if (button == locate) locate_model(project);
  });
  bench_.open(dialog);
}

void Projects::locate_model(QString const& project) {
  auto* files = new QFileDialog(&window_, "Locate the model", QFileInfo(project).path(),
                                "Models and kernels (*.onnx *.te);;All files (*)");
  files->setObjectName("locateDialog");
  files->setFileMode(QFileDialog::ExistingFile);
  connect(files, &QFileDialog::fileSelected, this, [this, project](QString const& model) {
    bench_.ask(journal::OpenProject{project.toStdString(), model.toStdString()});
  });
  bench_.open(files);
}

// ---- how the window looks ------------------------------------------------------------------

ProjectStore::Layout Projects::layout() const {
  QTabWidget const& centre = docks_.centre();
  ProjectStore::Layout layout{
      {"theme", QString(look_.theme_name()).replace('_', '-').toStdString()},
      {"size", QString("%1 %2").arg(window_.width()).arg(window_.height()).toStdString()},
      {"view", view_name(centre.tabText(centre.currentIndex())).toStdString()}};
  for (PlacedPane const& placed : panes_.all()) layout.merge(placed.pane->layout());
  for (auto const& [panes, sizes] : look_.pane_sizes()) layout["panes " + panes] = sizes;
  return layout;
}

/// What another version of the program wrote and this one does not know is left out.
void Projects::apply_layout(ProjectStore::Layout const& layout, bool all) {
  Performer::Quiet quiet(performer_);
  auto apply = [this](journal::Action const& action) { (void)performer_.try_to(action); };
  for (auto const& [key, value] : layout) {
    if (key == "theme") apply(journal::SetTheme{value});
    QStringList size = QString::fromStdString(value).split(' ');
    if (key == "size" && all && !size_is_wished_ && size.size() == 2)
      apply(journal::ResizeWindow{size[0].toInt(), size[1].toInt()});
  }
  for (PlacedPane const& placed : panes_.all()) placed.pane->apply_layout(layout);
  for (auto const& [key, value] : layout) {
    if (key.starts_with("panes ")) apply(journal::ArrangePanes{key.substr(6), value});
    if (key == "view") apply(journal::ShowView{value});
  }
  if (!keeper_.file().isEmpty()) desk_.remember(keeper_.file());
}

}  // namespace tw
