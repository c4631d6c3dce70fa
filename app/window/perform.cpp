// SPDX-License-Identifier: GPL-3.0-or-later
// Every action of the window, carried out.
#include <QDialog>
#include <QScrollBar>
#include <QSettings>
#include <QSplitter>

#include <algorithm>
#include <utility>

#include "app/shared/journal/move.h"
#include "app/shared/journal/present.h"
#include "app/shared/journal/resume.h"
#include "app/window/folding_panes.h"
#include "app/window/main_window.h"
#include "app/window/start_desk.h"
#include "app/window/view_names.h"

namespace tw {

Status MainWindow::perform(journal::Action const& action) {
  bool asked = depth_ == 0;
  if (asked) recorder_.add(action);  // before it is done: a crash leaves what led to it
  Quiet quiet(depth_);
  forget_trouble(action);
  if (!journal::replaces(action, action)) noted_.clear();
  if (Status kept = recorder_.written(); !kept && !std::exchange(told_of_recorder_, true))
    say(QString::fromStdString("The journal is no longer written: " + to_sentence(kept.error())));
  // What is done with a view is done with what it would show now; steps and choices are not.
  bool of_session = action.as<session::Command>() || action.as<journal::ChooseKernel>() ||
                    action.as<journal::SelectLoop>() || action.as<journal::HoverLoop>();
  if (!of_session) tell_those_that_wait();
  auto handler = handlers_.find(action.kind());
  Status status = handler == handlers_.end()
                      ? Status(bad_input("unknown_action", "unsupported action in this window"))
                      : handler->second(action);
  if (status) return status;
  if (asked)
    recorder_.add(journal::Expect{"error", journal::Compare::kContains, 0, status.error().message});
  say(status.error(), action.kind());
  return status;
}

void MainWindow::set_handler(std::type_index kind,
                             std::function<Status(journal::Action const&)> run) {
  handlers_[kind] = std::move(run);
}

/// What panes do is theirs to say.
void MainWindow::set_handlers() {
  using namespace journal;
  carry_out<session::Command, ChooseKernel, ShowView, SelectLoop, HoverLoop, SetTheme, ScaleText,
            Present, MoveView, ResetLayout, ResizeWindow, ArrangePanes, ScrollView, OpenProject,
            SaveProject, SaveProjectWithModel, ResumeWork, RecoverWork, DiscardRecovery, ShowDialog,
            CloseDialog>();
}

void MainWindow::user_did(journal::Action const& action) {
  if (depth_ == 0) (void)perform(action);
}

/// Kernels are written by name: a row may be another one in the next version of a model.
void MainWindow::execute(session::Command const& command) {
  auto const* kernel = std::get_if<session::SelectKernel>(&command);
  if (!kernel) return show_action(command);
  auto const& table = snapshot_.kernels;
  bool known = table && kernel->row >= 0 && size_t(kernel->row) < table->rows.size();
  show_action(journal::ChooseKernel{known ? table->rows[size_t(kernel->row)].name
                                          : std::to_string(kernel->row)});
}

/// What takes another model's place.
static bool replaces_model(session::Command const& command) {
  using namespace session;
  return std::holds_alternative<OpenModel>(command) || std::holds_alternative<Quantize>(command) ||
         std::holds_alternative<OpenSample>(command) || std::holds_alternative<CloseModel>(command);
}

Status MainWindow::run(session::Command const& command) {
  if (replaces_model(command)) {
    keeper_->set_aside();
    trouble_.reset();
  }
  if (std::holds_alternative<session::CloseModel>(command)) alone_ = nullptr;
  Status status = session_.execute(command);
  if (auto const* sample = std::get_if<session::OpenSample>(&command); sample && status)
    desk_->remember("sample:" + QString::fromStdString(sample->name));
  refresh();
  return status;
}

Status MainWindow::run(journal::ChooseKernel const& action) {
  if (!snapshot_.kernels) return bad_input("no_model", "no model is open");
  int row = session::row_called(snapshot_, action.kernel);
  if (row >= 0) return run(session::Command(session::SelectKernel{row}));
  return bad_input("unknown_kernel", "there is no kernel '" + action.kernel + "'");
}

Status MainWindow::run(journal::SelectLoop const& action) {
  int loop = session::loop_called(snapshot_, action.loop);
  if (loop < 0 && action.loop != "none")
    return bad_input("unknown_loop", "there is no loop '" + action.loop + "'");
  selection_->select(loop);
  return {};
}

Status MainWindow::run(journal::HoverLoop const& action) {
  int loop = session::loop_called(snapshot_, action.loop);
  if (loop < 0 && action.loop != "none")
    return bad_input("unknown_loop", "there is no loop '" + action.loop + "'");
  selection_->hover(loop);
  return {};
}

Status MainWindow::run(journal::SetTheme const& action) {
  QString name = QString::fromStdString(action.theme).replace('-', '_');
  if (!QStringList{"dark", "light", "high_contrast"}.contains(name))
    return bad_input("unknown_theme", "there is no theme '" + action.theme +
                                          "'; the themes are dark, light, high-contrast");
  set_theme(name);
  QSettings(settings_file(), QSettings::IniFormat).setValue("theme", name);
  return {};
}

Status MainWindow::run(journal::ResizeWindow const& action) {
  QSize wanted(action.width, action.height);
  constexpr int kLargest = 16384;
  if (wanted.width() < minimumWidth() || wanted.height() < minimumHeight() ||
      wanted.width() > kLargest || wanted.height() > kLargest)
    return bad_input("unusable_size",
                     QString("a window has between %1 %2 and %3 %3 pixels, not %4 %5")
                         .arg(minimumWidth())
                         .arg(minimumHeight())
                         .arg(kLargest)
                         .arg(action.width)
                         .arg(action.height)
                         .toStdString());
  if (wanted != size()) resize(wanted);
  return {};
}

Status MainWindow::run(journal::ArrangePanes const& action) {
  auto* panes = centralWidget()->findChild<QSplitter*>(QString::fromStdString(action.panes));
  if (!panes || action.panes.empty())
    return bad_input("unknown_panes", "there are no panes '" + action.panes + "'");
  QList<int> sizes;
  for (QString const& size : QString::fromStdString(action.sizes).split(' ', Qt::SkipEmptyParts))
    sizes << size.toInt();
  if (sizes.size() != panes->count())
    return bad_input("unusable_size", "these are " + std::to_string(panes->count()) +
                                          " panes, not " + std::to_string(sizes.size()));
  if (auto* folding = dynamic_cast<FoldingPanes*>(panes))
    folding->arrange(sizes);
  else
    panes->setSizes(sizes);
  return {};
}

Status MainWindow::run(journal::ScrollView const& action) {
  for (QAbstractScrollArea* area : centralWidget()->findChildren<QAbstractScrollArea*>()) {
    if (scroll_name(area) != QString::fromStdString(action.view)) continue;
    area->horizontalScrollBar()->setValue(action.x);
    area->verticalScrollBar()->setValue(action.y);
    return {};
  }
  return bad_input("unknown_view", "nothing called '" + action.view + "' can be scrolled");
}

Status MainWindow::run(journal::ShowDialog const& action) {
  auto dialog = dialogs_.find(action.dialog);
  if (dialog != dialogs_.end()) return dialog->second(QString::fromStdString(action.argument));
  return bad_input("unknown_dialog", "there is no dialog '" + action.dialog + "'");
}

void MainWindow::add_dialog(std::string name, std::function<Status(QString const&)> open) {
  dialogs_[std::move(name)] = std::move(open);
}

void MainWindow::add_dialogs() {
  using Argument = QString const&;
  add_dialog("open", [this](Argument) { return show_open_dialog(); });
  add_dialog("palette", [this](Argument) { return show_palette_dialog(); });
  add_dialog("keys", [this](Argument) { return show_keys_dialog(); });
  add_dialog("save-journal", [this](Argument) { return show_save_journal_dialog(); });
  add_dialog("open-project", [this](Argument folder) { return show_open_project_dialog(folder); });
  add_dialog("save-project",
             [this](Argument what) { return show_save_project_dialog(what == "with-model"); });
  add_dialog("recovery", [this](Argument) { return show_recovery_dialog(); });
  add_dialog("step", [this](Argument primitive) { return show_step_dialog(primitive); });
  add_dialog("export", [this](Argument) { return show_export_dialog(); });
  add_dialog("quantize", [this](Argument what) { return show_quantize_dialog(what == "dense"); });
  add_dialog("note", [this](Argument step) {
    return show_note_dialog(step.isEmpty() ? -1 : step.toInt());
  });
  add_dialog("replay", [this](Argument) { return show_replay_dialog(); });
  add_dialog("kernel", [this](Argument name) { return show_kernel_dialog(name); });
}

Status MainWindow::run(journal::CloseDialog const&) {
  QDialog* dialog = open_dialog();
  if (!dialog) return bad_input("no_dialog", "no dialog is open");
  dialog->reject();
  return {};
}

}  // namespace tw
