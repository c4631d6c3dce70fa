// SPDX-License-Identifier: GPL-3.0-or-later
// Every action of the window, carried out.
#include <QDialog>
#include <QScrollBar>
#include <QSettings>
#include <QSplitter>
#include <QTabBar>
#include <QTabWidget>

#include <QLabel>
#include <algorithm>
#include <utility>

#include "app/window/main_window.h"
#include "app/window/view_names.h"

namespace tw {

Status MainWindow::perform(journal::Action const& action) {
  bool asked = depth_ == 0;
  if (asked) recorder_.add(action);  // before it is done: a crash leaves what led to it
  Quiet quiet(depth_);
  forget_trouble(action);
  if (!journal::replaces(action, action)) noted_.clear();
  if (Status kept = recorder_.written(); !kept && !std::exchange(told_of_recorder_, true))
    say(QString::fromStdString("The journal is not written any more: " +
                               to_sentence(kept.error())));
  Status status = std::visit([this](auto const& one) { return run(one); }, action);
  if (status) return status;
  if (asked)
    recorder_.add(journal::Expect{"error", journal::Compare::kContains, 0, status.error().message});
  say(status.error(), action.index());
  return status;
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

/// What changes the histories, and what takes another model's place.
static bool changes_work(session::Command const& command) {
  using namespace session;
  return std::visit(
      []<typename T>(T const&) {
        return std::is_same_v<T, ApplyStep> || std::is_same_v<T, ApplyScript> ||
               std::is_same_v<T, Undo> || std::is_same_v<T, Redo> || std::is_same_v<T, JumpTo> ||
               std::is_same_v<T, SetNote> || std::is_same_v<T, ReplayOn> ||
               std::is_same_v<T, AddKernel> || std::is_same_v<T, RewriteKernel>;
      },
      command);
}
static bool replaces_model(session::Command const& command) {
  using namespace session;
  return std::holds_alternative<OpenModel>(command) ||
         std::holds_alternative<OpenSample>(command) || std::holds_alternative<CloseModel>(command);
}

Status MainWindow::run(session::Command const& command) {
  if (replaces_model(command)) {
    keeper_->set_aside();
    trouble_.reset();
  }
  if (std::holds_alternative<session::CloseModel>(command)) devices_alone_ = false;
  Status status = session_.execute(command);
  if (auto const* sample = std::get_if<session::OpenSample>(&command); sample && status)
    remember_recent("sample:" + QString::fromStdString(sample->name));
  if (status && changes_work(command)) keeper_->mark_changed();
  refresh();
  return status;
}

Status MainWindow::run(journal::ChooseKernel const& action) {
  if (!snapshot_.kernels) return bad_input("no_model", "no model is open");
  auto const& rows = snapshot_.kernels->rows;
  for (size_t i = 0; i < rows.size(); ++i)
    if (rows[i].name == action.kernel || std::to_string(i) == action.kernel)
      return run(session::Command(session::SelectKernel{int(i)}));
  return bad_input("unknown_kernel", "there is no kernel '" + action.kernel + "'");
}

void MainWindow::show_centre(int tab) {
  QString text = centre_->tabText(std::min(tab, centre_->count() - 1));
  show_action(journal::ShowView{view_name(text).toStdString()});
}

/// Tabs inside of tabs: those around come to the front, too.
static void show_tabs_around(QWidget* widget) {
  for (; widget; widget = widget->parentWidget())
    for (QWidget* owner = widget->parentWidget(); owner; owner = owner->parentWidget())
      if (auto* tabs = qobject_cast<QTabWidget*>(owner); tabs && tabs->indexOf(widget) >= 0)
        tabs->setCurrentWidget(widget);
}

/// What had the focus may have been hidden; Qt gives it to the first button of the window then.
static void leave_home(QWidget* focused, QWidget* wanted) {
  if (!focused || focused->objectName() == "home") wanted->setFocus(Qt::OtherFocusReason);
}

Status MainWindow::run(journal::ShowView const& action) {
  if (action.view == "devices") return show_devices();
  if (action.view == "start" && !snapshot_.model) {
    devices_alone_ = false;
    return place_devices(), Status();
  }
  QString wanted = QString::fromStdString(action.view);
  QStringList known;
  for (QTabBar* tabs : centralWidget()->findChildren<QTabBar*>())
    for (int i = 0; i < tabs->count(); ++i) {
      known << view_name(tabs->tabText(i));
      if (known.back() != wanted) continue;
      tabs->setCurrentIndex(i);
      show_tabs_around(tabs);
      leave_home(focusWidget(), centre_->currentWidget() == graph_
                                    ? static_cast<QWidget*>(graph_)
                                    : static_cast<QWidget*>(ladder_));
      return {};
    }
  if (wanted == "code") return {};  // a wide window always shows it
  return bad_input("unknown_view", "there is no view '" + action.view + "'; the views are " +
                                       known.join(", ").toStdString());
}

Status MainWindow::run(journal::ShowPass const& action) {
  if (code_->show_pass(QString::fromStdString(action.pass))) return {};
  return bad_input("unknown_pass", "there is no pass '" + action.pass + "'");
}

Status MainWindow::run(journal::MarkChanges const& action) {
  code_->mark_changes(action.state == "on");
  return {};
}

Status MainWindow::run(journal::ChooseGraph const& action) {
  graph_->show_before(action.form == "before");
  return run(journal::ShowView{"graph"});
}

Status MainWindow::run(journal::LookAtGraph const& action) {
  graph_->look_at(action.scale, {action.x, action.y});
  return {};
}

Status MainWindow::run(journal::FitGraph const&) {
  graph_->zoom_to_fit();
  return {};
}

Status MainWindow::run(journal::ExplainFusion const& action) {
  if (!snapshot_.graph) return bad_input("no_model", "no model is open");
  auto const& nodes =
      graph_->shows_before() ? snapshot_.graph->nodes_before : snapshot_.graph->nodes;
  int from = node_called(nodes, action.from), to = node_called(nodes, action.to);
  for (auto const& [id, name] : {std::pair{from, action.from}, {to, action.to}})
    if (id < 0 && !name.empty())
      return bad_input("unknown_node", "the graph has no node '" + name + "'");
  GraphView::Reason reason = graph_->reason_of(from, to);
  if (reason.title.isEmpty())
    return bad_input("unknown_edge", "nothing was decided about fusing these");
  why_->setText(reason.title + "\n\n" + reason.words);
  return run(journal::ShowView{"why"});
}

Status MainWindow::run(journal::FindInGraph const& action) {
  if (action.text.empty())
    graph_->close_find();
  else
    graph_->find(QString::fromStdString(action.text));
  return action.text.empty() ? Status() : run(journal::ShowView{"graph"});
}

Status MainWindow::run(journal::StepMatch const& action) {
  if (graph_->match_count() == 0) return bad_input("nothing_found", "nothing was found");
  graph_->step_match(action.direction == "next" ? 1 : -1);
  return {};
}

int MainWindow::loop_called(std::string const& reference) const {
  for (session::LoopBar const& bar :
       snapshot_.nest ? snapshot_.nest->bars : std::vector<session::LoopBar>())
    if (bar.reference == reference) return bar.id;
  return -1;
}

std::string MainWindow::name_of_loop(int loop) const {
  for (session::LoopBar const& bar :
       snapshot_.nest ? snapshot_.nest->bars : std::vector<session::LoopBar>())
    if (bar.id == loop) return bar.reference;
  return "none";
}

Status MainWindow::run(journal::SelectLoop const& action) {
  int loop = loop_called(action.loop);
  if (loop < 0 && action.loop != "none")
    return bad_input("unknown_loop", "there is no loop '" + action.loop + "'");
  selection_->select(loop);
  return {};
}

Status MainWindow::run(journal::HoverLoop const& action) {
  int loop = loop_called(action.loop);
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
  QSettings(state_folder_ + "/settings.ini", QSettings::IniFormat).setValue("theme", name);
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
  QString argument = QString::fromStdString(action.argument);
  if (action.dialog == "open") return show_open_dialog();
  if (action.dialog == "palette") return show_palette_dialog();
  if (action.dialog == "devices") return run(journal::ShowView{"devices"});  // as it was once
  if (action.dialog == "add-device") return show_add_device_dialog();
  if (action.dialog == "keys") return show_keys_dialog();
  if (action.dialog == "save-journal") return show_save_journal_dialog();
  if (action.dialog == "open-project") return show_open_project_dialog(argument);
  if (action.dialog == "save-project")
    return show_save_project_dialog(action.argument == "with-model");
  if (action.dialog == "find") {
    TRY(run(journal::ShowView{"graph"}));
    graph_->open_find();
    return {};
  }
  if (action.dialog == "recovery") return show_recovery_dialog();
  if (action.dialog == "step") return show_step_dialog(argument);
  if (action.dialog == "export") return show_export_dialog();
  if (action.dialog == "note") return show_note_dialog(argument.isEmpty() ? -1 : argument.toInt());
  if (action.dialog == "replay") return show_replay_dialog();
  if (action.dialog == "kernel") return show_kernel_dialog(argument);
  return bad_input("unknown_dialog", "there is no dialog '" + action.dialog + "'");
}

Status MainWindow::run(journal::CloseDialog const&) {
  QDialog* dialog = open_dialog();
  if (!dialog) return bad_input("no_dialog", "no dialog is open");
  dialog->reject();
  return {};
}

}  // namespace tw
