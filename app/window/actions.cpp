// SPDX-License-Identifier: GPL-3.0-or-later
// Keys, the command palette and the key sheet: one list of actions.
#include <QApplication>
#include <QDialog>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QShortcut>
#include <QVBoxLayout>

#include "app/window/main_window.h"

namespace tw {

void MainWindow::add_action(QString name, QString keys, std::function<void()> run) {
  if (!keys.isEmpty()) {
    auto* shortcut = new QShortcut(QKeySequence(keys), this);
    connect(shortcut, &QShortcut::activated, this, run);
  }
  actions_.push_back({std::move(name), std::move(keys), std::move(run)});
}

void MainWindow::build_actions() {
  add_action("Open a model", "Ctrl+O", [this] { show_action(journal::ShowDialog{"open", {}}); });
  add_action("Open a project", "Ctrl+Shift+O", [this] {
    show_action(journal::ShowDialog{"open-project", {}});
  });
  add_action("Open earlier work", "", [this] {
    show_action(journal::ShowDialog{"open-project", keeper_->earlier_folder().toStdString()});
  });
  add_action("Save the project", "Ctrl+S", [this] { show_action(journal::SaveProject{}); });
  add_action("Save the project as", "Ctrl+Shift+S", [this] {
    show_action(journal::ShowDialog{"save-project", {}});
  });
  add_action("Save the project with its model", "",
             [this] { show_action(journal::SaveProjectWithModel{}); });
  build_history_actions();
  add_action("Save the journal", "", [this] {
    show_action(journal::ShowDialog{"save-journal", {}});
  });
  for (SampleCard const& sample : samples_)
    add_action("Open sample " + sample.title, "",
               [this, sample] { execute(session::OpenSample{sample.name.toStdString()}); });
  add_action("Export the model", "Ctrl+Shift+E", [this] {
    show_action(journal::ShowDialog{"export", {}});
  });
  add_action("Close the model", "Ctrl+W", [this] { execute(session::CloseModel{}); });
  add_action("Undo", "Ctrl+Z", [this] { execute(session::Undo{}); });
  add_action("Redo", "Ctrl+Y", [this] { execute(session::Redo{}); });
  add_action("Measure again", "Ctrl+R", [this] { execute(session::MeasureAgain{}); });
  add_action("Measure the whole model", "Ctrl+M", [this] { execute(session::MeasureModel{}); });
  add_action("Measure this machine's roofs again", "",
             [this] { execute(session::MeasureRoofs{true}); });
  add_action("Devices", "Ctrl+Shift+D", [this] { show_action(journal::ShowView{"devices"}); });
  add_action("Add a device", "", [this] { show_action(journal::ShowDialog{"add-device", {}}); });
  add_action("Ask every device again", "", [this] { show_action(journal::CheckDevices{}); });
  add_action("Loops", "Ctrl+1", [this] { show_centre(0); });
  add_action("Graph", "Ctrl+2", [this] { show_centre(1); });
  add_action("Graph before fusion", "", [this] { show_action(journal::ChooseGraph{"before"}); });
  add_action("Graph after fusion", "", [this] { show_action(journal::ChooseGraph{"after"}); });
  add_action("Find in the graph", "", [this] { show_action(journal::ShowDialog{"find", {}}); });
  add_action("Find in what is shown", "Ctrl+F", [this] {
    bool graph = centre_->currentWidget() == graph_;
    run_action(graph ? "Find in the graph" : "Find in the history");
  });
  static std::pair<char const*, char const*> const kTabs[] = {{"Expression", "expression"},
                                                              {"Lowered program", "lowered"},
                                                              {"LLVM IR", "llvm_ir"},
                                                              {"Assembly", "assembly"}};
  for (int i = 0; i < 4; ++i)
    add_action(kTabs[i].first, QString("Alt+%1").arg(i + 1),
               [this, i] { show_action(journal::ShowView{kTabs[i].second}); });
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
  for (session::PrimitiveView const& primitive : primitives_) {
    QString name = QString::fromStdString(primitive.name);
    actions_.push_back({QString::fromStdString(primitive.title),
                        QString::fromStdString(primitive.key), [this, name] { ask_step(name); }});
  }
  actions_.push_back({"Keys", "?", [this] { show_keys(); }});
}

/// Letters of primitives, repairs and Esc; everything else has a shortcut.
void MainWindow::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape && snapshot_.refusal)
    return execute(session::DismissRefusal{});
  if (snapshot_.refusal && event->key() >= Qt::Key_1 && event->key() <= Qt::Key_3) {
    auto index = size_t(event->key() - Qt::Key_1);
    if (index < snapshot_.refusal->repairs.size())
      return apply_line(QString::fromStdString(snapshot_.refusal->repairs[index].step));
  }
  if (event->key() == Qt::Key_Escape && devices_alone_)
    return show_action(journal::ShowView{"start"});
  if (event->text() == "?") return show_keys();
  bool plain = !(event->modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier));
  for (session::PrimitiveView const& primitive : primitives_)
    if (plain && event->text().toUpper() == QString::fromStdString(primitive.key))
      return ask_step(QString::fromStdString(primitive.name));
  QMainWindow::keyPressEvent(event);
}

QStringList MainWindow::action_names() const {
  QStringList names;
  for (Action const& action : actions_) names << action.name;
  return names;
}

void MainWindow::run_action(QString const& name) {
  for (Action const& action : actions_)
    if (action.name == name) return action.run();
}

void MainWindow::show_palette() { show_action(journal::ShowDialog{"palette", {}}); }
void MainWindow::show_keys() { show_action(journal::ShowDialog{"keys", {}}); }

Status MainWindow::show_palette_dialog() {
  auto* dialog = new QDialog(this);
  dialog->setObjectName("palette");
  dialog->setWindowTitle("Commands");
  dialog->resize(520, 420);
  auto* column = new QVBoxLayout(dialog);
  auto* find = new QLineEdit;
  find->setPlaceholderText("A command, a kernel, or a step: split(conv2d.o, factor=16)");
  auto* list = new QListWidget;
  column->addWidget(find);
  column->addWidget(list, 1);
  auto fill = [this, list](QString const& text) {
    list->clear();
    for (size_t i = 0; i < actions_.size(); ++i)
      if (actions_[i].name.contains(text, Qt::CaseInsensitive)) {
        auto* item = new QListWidgetItem(actions_[i].keys.isEmpty()
                                             ? actions_[i].name
                                             : actions_[i].name + "    " + actions_[i].keys,
                                         list);
        item->setData(Qt::UserRole, int(i));
      }
    for (size_t i = 0; snapshot_.kernels && i < snapshot_.kernels->rows.size(); ++i) {
      QString name = QString::fromStdString(snapshot_.kernels->rows[i].name);
      if (!text.isEmpty() && name.contains(text, Qt::CaseInsensitive))
        (new QListWidgetItem("Kernel " + name, list))->setData(Qt::UserRole, -1 - int(i));
    }
    list->setCurrentRow(0);
  };
  auto choose = [this, dialog, list, find] {
    QListWidgetItem* item = list->currentItem();
    QString text = find->text();
    dialog->close();
    if (text.contains('(')) return apply_line(text);
    if (!item) return;
    int index = item->data(Qt::UserRole).toInt();
    if (index < 0)
      execute(session::SelectKernel{-1 - index});
    else
      actions_[size_t(index)].run();
  };
  connect(find, &QLineEdit::textChanged, dialog, fill);
  connect(find, &QLineEdit::returnPressed, dialog, choose);
  connect(list, &QListWidget::itemActivated, dialog, choose);
  fill("");
  open(dialog);
  find->setFocus();
  return {};
}

Status MainWindow::show_keys_dialog() {
  auto* dialog = new QDialog(this);
  dialog->setObjectName("keys");
  dialog->setWindowTitle("Keys");
  auto* column = new QVBoxLayout(dialog);
  column->setContentsMargins(24, 20, 24, 20);
  QString rows;
  auto row = [&](QString const& keys, QString const& name) {
    rows += QString("<tr><td style='padding:3px 24px 3px 0'><b>%1</b></td><td>%2</td></tr>")
                .arg(keys, name.toHtmlEscaped());
  };
  for (Action const& action : actions_)
    if (!action.keys.isEmpty()) row(action.keys, action.name);
  row("Up, Down", "Select a loop");
  row("Alt+Up, Alt+Down", "Move the selected loop");
  row("1 2 3", "Take a repair of a refused step");
  row("Esc", "Cancel a gesture, close the refusal");
  column->addWidget(new QLabel("<table>" + rows + "</table>"));
  open(dialog);
  return {};
}

}  // namespace tw
