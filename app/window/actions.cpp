// SPDX-License-Identifier: GPL-3.0-or-later
// What the window itself does and offers: its actions of journals, and its commands. Panes and
// parts add theirs.
#include "app/window/main_window.h"
#include "app/window/parts/widget_actions.h"
#include "app/window/start_controller.h"

namespace tw {
namespace {

/// What takes another model's place.
bool replaces_model(session::Command const& command) {
  using namespace session;
  return command.as<OpenModel>() || command.as<Quantize>() || command.as<OpenSample>() ||
         command.as<CloseModel>();
}

/// Of the session: what is done so is not done with a view.
bool is_of_session(journal::Action const& action) {
  return action.as<session::Command>() || action.as<journal::ChooseKernel>() ||
         action.as<journal::SelectLoop>() || action.as<journal::HoverLoop>();
}

}  // namespace

void MainWindow::add_handlers() {
  performer_->use(
      {.before =
           [this](journal::Action const& action) {
             notices_->begin(action);
             // What is done with a view is done with what it would show now.
             if (!is_of_session(action)) panes_->tell_those_that_wait();
           },
       .failed = [this](Error const& error, std::type_index action) { say(error, action); },
       .unwritten =
           [this](Error const& error) {
             say(QString::fromStdString("The journal is no longer written: " + to_sentence(error)));
           }});
  on<session::Command>([this](session::Command const& command) { return run(command); });
  on<journal::ChooseKernel>([this](journal::ChooseKernel const& action) -> Status {
    if (!snapshot_.kernels) return bad_input("no_model", "no model is open");
    int row = session::row_called(snapshot_, action.kernel);
    if (row >= 0) return run(session::Command(session::SelectKernel{row}));
    return bad_input("unknown_kernel", "there is no kernel '" + action.kernel + "'");
  });
  on<journal::ShowView>(
      [this](journal::ShowView const& action) { return docks_->show(action.view); });
  add_widget_handlers(*this, *this);
}

Status MainWindow::run(session::Command const& command) {
  if (replaces_model(command)) {
    projects_->keeper().set_aside();
    notices_->forget_all();
  }
  if (command.as<session::CloseModel>()) docks_->leave_alone();
  Status status = session_.execute(command);
  if (auto const* sample = command.as<session::OpenSample>(); sample && status)
    desk_->remember("sample:" + QString::fromStdString(sample->name));
  refresh();
  return status;
}

void MainWindow::add_commands() {
  QString section = "Models and projects";
  auto add = [this, &section](QString name, QString keys, std::function<void()> run) {
    add_command({section, std::move(name), std::move(keys), std::move(run)});
  };
  auto dialog = [this](std::string name, std::string argument = {}) {
    return [this, name, argument] { ask(journal::ShowDialog{name, argument}); };
  };
  add("Open a model", "Ctrl+O", dialog("open"));
  add("Open a project", "Ctrl+Shift+O", dialog("open-project"));
  add("Open autosaved project", "", [this] {
    ask(journal::ShowDialog{"open-project", projects_->keeper().earlier_folder().toStdString()});
  });
  add("Save the project", "Ctrl+S", [this] { ask(journal::SaveProject{}); });
  add("Save the project as", "Ctrl+Shift+S", dialog("save-project"));
  add("Save the project with its model", "", [this] { ask(journal::SaveProjectWithModel{}); });
  add("Save the journal", "", dialog("save-journal"));
  for (SampleCard const& sample : samples_)
    add("Open sample " + sample.title, "", [this, sample] { projects_->open_path(sample.source); });
  add("Export the model", "Ctrl+Shift+E", dialog("export"));
  for (auto const& [name, what] :
       {std::pair{"Quantize the model", ""}, {"Quantize the model, dense layers too", "dense"}})
    add_command({.section = section,
                 .name = name,
                 .run = dialog("quantize", what),
                 .possible = [this] { return snapshot_.model != nullptr; },
                 .also = "int8"});
  add("Close the model", "Ctrl+W", [this] { execute(session::CloseModel{}); });
  add("Quit", "Ctrl+Q", [this] { close(); });
  section = "Steps and history";
  add("Undo", "Ctrl+Z", [this] { execute(session::Undo{}); });
  add("Redo", "Ctrl+Y", [this] { execute(session::Redo{}); });
  add("New kernel", "Ctrl+N", dialog("kernel"));
  add("Edit this kernel's expression", "Ctrl+E", [this] {
    bool known = snapshot_.kernels && snapshot_.kernel >= 0;
    ask(journal::ShowDialog{
        "kernel", known ? snapshot_.kernels->rows[size_t(snapshot_.kernel)].name : "none"});
  });
  add("Replay on another kernel", "Ctrl+Shift+R", dialog("replay"));
  add("Write a note on the current state", "", [this] {
    int current = snapshot_.history ? snapshot_.history->current : 0;
    ask(journal::ShowDialog{"note", std::to_string(current)});
  });
  section = "Measuring and devices";
  add("Measure again", "Ctrl+R", [this] { execute(session::MeasureAgain{}); });
  add("Measure the whole model", "Ctrl+M", [this] { execute(session::MeasureModel{}); });
  add("Measure this machine's roofs again", "", [this] { execute(session::MeasureRoofs{true}); });
}

/// What panes add stands before these.
void MainWindow::add_late_commands() {
  add_command({"Views", "Find in view", "Ctrl+F", [this] { commands_->find_in_view(); }});
  pictures_->add_commands("Views");
  look_->add_commands("Window");
  moving_->add_commands("Window");
  commands_->add_last("Window");
}

}  // namespace tw
