// SPDX-License-Identifier: GPL-3.0-or-later
// Keys and commands: one list of actions. The palette and the key sheet show it
// (command_dialogs.cpp).
#include <QApplication>
#include <QKeyEvent>
#include <QPointer>
#include <QShortcut>
#include <QTabWidget>
#include <algorithm>

#include "app/window/focus_keeper.h"
#include "app/window/main_window.h"
#include "app/window/settings_desk.h"
#include "widgets/focus/focus_ring.h"

namespace tw {
namespace {

char const* const kKeysOf = "keys of ";  // a command: the name of its shortcut

}  // namespace

void MainWindow::add_command(UserCommand command) {
  command.usual_keys = command.keys;
  command.run = [this, run = std::move(command.run)] { run_command(run); };
  command.keys = chosen_keys(settings_file(), command);
  if (!command.keys.isEmpty()) {
    auto* shortcut = new QShortcut(QKeySequence(command.keys), this);
    shortcut->setObjectName(kKeysOf + command.name);
    connect(shortcut, &QShortcut::activated, this, command.run);
  }
  actions_.push_back(std::move(command));
}

/// A view that is asked for by its key gets the keys, whatever had them; a command that puts them
/// into a part of the view, as a field to search in, is left alone.
void MainWindow::run_command(std::function<void()> const& run) {
  shown_pane_ = nullptr;
  run();
  QPointer<QWidget> shown = std::exchange(shown_pane_, nullptr);
  Placed* placed = shown ? placed_around(shown) : nullptr;
  QWidget* target = placed ? placed->pane->focus_target() : nullptr;
  if (!target || !can_have_focus(target)) return;
  QWidget* has = target->window()->focusWidget();
  if (has && (has == placed->widget || placed->widget->isAncestorOf(has))) return;
  target->window()->activateWindow();
  target->setFocus(Qt::ShortcutFocusReason);
}

void MainWindow::add_action(QString name, QString keys, std::function<void()> run) {
  add_command({section_, std::move(name), std::move(keys), std::move(run)});
}

void MainWindow::build_actions() {
  section_ = "Models and projects";
  add_action("Open a model", "Ctrl+O", [this] { show_action(journal::ShowDialog{"open", {}}); });
  add_action("Open a project", "Ctrl+Shift+O", [this] {
    show_action(journal::ShowDialog{"open-project", {}});
  });
  add_action("Open autosaved project", "", [this] {
    show_action(journal::ShowDialog{"open-project", keeper_->earlier_folder().toStdString()});
  });
  add_action("Save the project", "Ctrl+S", [this] { show_action(journal::SaveProject{}); });
  add_action("Save the project as", "Ctrl+Shift+S", [this] {
    show_action(journal::ShowDialog{"save-project", {}});
  });
  add_action("Save the project with its model", "",
             [this] { show_action(journal::SaveProjectWithModel{}); });
  add_action("Save the journal", "", [this] {
    show_action(journal::ShowDialog{"save-journal", {}});
  });
  for (SampleCard const& sample : samples_)
    add_action("Open sample " + sample.title, "", [this, sample] { open_path(sample.source); });
  add_action("Export the model", "Ctrl+Shift+E", [this] {
    show_action(journal::ShowDialog{"export", {}});
  });
  auto add_quantize = [this](QString const& name, char const* what) {
    add_command({.section = section_,
                 .name = name,
                 .run =
                     [this, what] {
                       show_action(journal::ShowDialog{"quantize", what});
                     },
                 .possible = [this] { return snapshot_.model != nullptr; },
                 .also = "int8"});
  };
  add_quantize("Quantize the model", "");
  add_quantize("Quantize the model, dense layers too", "dense");
  add_action("Close the model", "Ctrl+W", [this] { execute(session::CloseModel{}); });
  add_action("Quit", "Ctrl+Q", [this] { close(); });
  section_ = "Steps and history";
  add_action("Undo", "Ctrl+Z", [this] { execute(session::Undo{}); });
  add_action("Redo", "Ctrl+Y", [this] { execute(session::Redo{}); });
  build_history_actions();
  section_ = "Measuring and devices";
  add_action("Measure again", "Ctrl+R", [this] { execute(session::MeasureAgain{}); });
  add_action("Measure the whole model", "Ctrl+M", [this] { execute(session::MeasureModel{}); });
  add_action("Measure this machine's roofs again", "",
             [this] { execute(session::MeasureRoofs{true}); });
}

/// What panes add stands before these.
void MainWindow::build_late_actions() {
  section_ = "Views";
  add_action("Find in view", "Ctrl+F", [this] { find_in_what_is_shown(); });
  build_picture_actions();
  section_ = "Window";
  for (auto const& [name, theme] : {std::pair{"Dark theme", "dark"},
                                    {"Light theme", "light"},
                                    {"High contrast theme", "high-contrast"}})
    add_action(name, "", [this, theme] { show_action(journal::SetTheme{theme}); });
  add_action("Switch theme", "Ctrl+T", [this] {
    show_action(journal::SetTheme{theme_name_ == "dark"    ? "light"
                                  : theme_name_ == "light" ? "high-contrast"
                                                           : "dark"});
  });
  add_action("Commands", "Ctrl+Shift+P", [this] { show_palette(); });
  add_action("Larger text", "Ctrl++", [this] { step_text_scale(1); });
  add_action("Smaller text", "Ctrl+-", [this] { step_text_scale(-1); });
  add_action("Normal text size", "Ctrl+0", [this] { step_text_scale(0); });
  build_presenter_actions();
  build_move_actions();
  auto use_keys = [this](QString const& name, QString const& keys) {
    auto command = std::ranges::find(actions_, name, &UserCommand::name);
    if (command == actions_.end()) return;
    command->keys = keys;
    auto* shortcut = findChild<QShortcut*>(kKeysOf + name);
    if (!shortcut) {
      shortcut = new QShortcut(this);
      shortcut->setObjectName(kKeysOf + name);
      connect(shortcut, &QShortcut::activated, this, command->run);
    }
    shortcut->setKey(QKeySequence(keys));
  };
  add_settings(
      *this, this, [this] { return actions_; }, use_keys);
  // These are no shortcuts: keyPressEvent knows them.
  actions_.push_back({section_, "Keys", "?", [this] { show_keys(); }});
  for (session::PrimitiveView const& primitive : primitives_) {
    QString name = QString::fromStdString(primitive.name);
    actions_.push_back({.section = "Steps on the selected loop",
                        .name = QString::fromStdString(primitive.title),
                        .keys = QString::fromStdString(primitive.key),
                        .run = [this, name] { ask_step(name); },
                        .also = name});
  }
  sort_actions();
}

/// By their sections; in each the window's own come first, then those of its panes.
void MainWindow::sort_actions() {
  static QStringList const kSections{"Models and projects", "Steps and history",
                                     "Measuring and devices", "Views", "Window"};
  auto place = [](UserCommand const& command) {
    qsizetype at = kSections.indexOf(command.section);
    return at < 0 ? kSections.size() : at;
  };
  std::ranges::stable_sort(actions_, {}, place);
}

/// In the view that has the keys, else in the one in the centre, else in the first that can.
void MainWindow::find_in_what_is_shown() {
  QWidget const* keys = QApplication::focusWidget();
  QString with_keys, central, first;
  for (Placed const& placed : panes_) {
    QString own = placed.pane->find_command();
    if (own.isEmpty()) continue;
    bool in_centre = placed.row->place == PanePlace::kCentre;
    if (keys && placed.widget->isAncestorOf(keys)) with_keys = own;
    if (in_centre && centre_->currentWidget() == placed.widget) central = own;
    if (first.isEmpty() && !in_centre) first = own;
  }
  run_action(!with_keys.isEmpty() ? with_keys : !central.isEmpty() ? central : first);
}

/// Letters of primitives, repairs and Esc; everything else has a shortcut.
void MainWindow::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape && snapshot_.refusal)
    return execute(session::DismissRefusal{});
  if (event->key() == Qt::Key_Escape && (trouble_ || snapshot_.error)) return dismiss_error();
  if (snapshot_.refusal && event->key() >= Qt::Key_1 && event->key() <= Qt::Key_3) {
    auto index = size_t(event->key() - Qt::Key_1);
    if (index < snapshot_.refusal->repairs.size())
      return apply_line(QString::fromStdString(snapshot_.refusal->repairs[index].step));
  }
  if (event->key() == Qt::Key_Escape && alone_) return show_action(journal::ShowView{"start"});
  if (event->text() == "?") return show_keys();
  bool plain = !(event->modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier));
  for (session::PrimitiveView const& primitive : primitives_)
    if (plain && !primitive.key.empty() &&
        event->text().toUpper() == QString::fromStdString(primitive.key))
      return ask_step(QString::fromStdString(primitive.name));
  QMainWindow::keyPressEvent(event);
}

/// As one reads the window, whatever the order in which its parts were made. Qt asks for the next
/// one, too, when what has the focus is hidden or switched off: nobody pressed Tab then.
bool MainWindow::focusNextPrevChild(bool next) {
  QWidget* had = focusWidget();
  if (had && isVisible() && !can_have_focus(had)) return focus_->stay(had), true;
  return ring_->step(centralWidget(), had, next);
}

QStringList MainWindow::action_names() const {
  QStringList names;
  for (UserCommand const& action : actions_)
    if (!action.copies && (!action.possible || action.possible())) names << action.name;
  return names;
}

void MainWindow::run_action(QString const& name) {
  for (UserCommand const& action : actions_)
    if (action.name == name) return action.run();
}

void MainWindow::show_palette() { show_action(journal::ShowDialog{"palette", {}}); }
void MainWindow::show_keys() { show_action(journal::ShowDialog{"keys", {}}); }

}  // namespace tw
