// SPDX-License-Identifier: GPL-3.0-or-later
// What a right click offers: commands of the palette that fit the thing below the pointer.
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QMenu>
#include <algorithm>

#include "app/window/main_window.h"

namespace tw {

void MainWindow::show_loop_menu(QPoint at) {
  auto* menu = new QMenu(this);
  menu->setObjectName("loopMenu");
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->setAccessibleName("Steps on " + QString::fromStdString(name_of_loop(selection_->loop())));
  for (session::PrimitiveView const& primitive : primitives_) {
    QString name = QString::fromStdString(primitive.name);
    menu->addAction(
        QString::fromStdString(primitive.title) + "\t" + QString::fromStdString(primitive.key),
        [this, name] { ask_step(name); });
  }
  menu->popup(at);
}

/// In the order of the names; what cannot be done now is there and grey.
void MainWindow::show_menu(QStringList const& names, QPoint at) {
  auto* menu = new QMenu(this);
  menu->setObjectName("viewMenu");
  menu->setAttribute(Qt::WA_DeleteOnClose);
  for (QString const& name : names) {
    auto known = std::ranges::find(actions_, name, &Action::name);
    if (known == actions_.end()) continue;
    QAction* item = menu->addAction(name + "\t" + known->keys, known->run);
    item->setEnabled(!known->possible || known->possible());
  }
  menu->popup(at);
}

/// Commands that have to do with a view, where it has no menu of its own.
void MainWindow::add_menu(QWidget* view, QStringList const& names) {
  view->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(view, &QWidget::customContextMenuRequested, this,
          [this, view, names](QPoint at) { show_menu(names, view->mapToGlobal(at)); });
}

void MainWindow::add_menus() {
  connect(kernels_, &KernelList::menu_asked, this, [this](int, QPoint at) {
    show_menu({"Loops", "Graph", "Measure again", "Measure the whole model",
               "Replay on another kernel", "Edit this kernel's expression", "Export the model"},
              at);
  });
  connect(ladder_, &LadderView::menu_asked, this, &MainWindow::show_loop_menu);
  add_menu(graph_, {"Graph before fusion", "Graph after fusion", "Find in the graph"});
  add_menu(&code_->view(),
           {"Copy the code", "Expression", "Lowered program", "LLVM IR", "Assembly"});
  add_menu(roofline_, {"Measure again", "Measure this machine's roofs again", "Devices"});
  add_menu(replay_, {"Copy the replayed script", "Replay on another kernel", "Undo", "Loops"});
  connect(devices_, &DevicesView::menu_asked, this, [this](QPoint at) {
    show_menu({"Use the selected device", "Ask every device again", "Copy the device's log",
               "Measure this machine's roofs again", "Add a device", "Remove the selected device"},
              at);
  });
  connect(compare_, &CompareView::menu_asked, this, [this](QPoint at) {
    show_menu({"Swap what is compared", "Compare side by side", "Compare as one text",
               "Copy the compared code", "Close the comparison"},
              at);
  });
}

/// Those that stand in menus, too, and are not possible everywhere.
void MainWindow::add_possible(QString name, std::function<void()> run,
                              std::function<bool()> possible) {
  add_action(std::move(name), "", std::move(run));
  actions_.back().possible = std::move(possible);
}

void MainWindow::add_copy(QString name, std::function<QString()> text) {
  add_possible(
      std::move(name), [this, text] { copy(text()); }, [text] { return !text().isEmpty(); });
  actions_.back().copies = true;
}

void MainWindow::build_menu_actions() {
  section_ = "Measuring and devices";
  add_possible(
      "Use the selected device", [this] { devices_->use_selected(); },
      [this] { return devices_->can_use(); });
  add_possible(
      "Remove the selected device", [this] { devices_->remove_selected(); },
      [this] { return devices_->can_remove(); });
  add_copy("Copy the device's log", [this] { return devices_->log_text(); });
  section_ = "Steps and history";
  auto compared = [this] { return compare_->active(); };
  auto form = [this](char const* wanted) {
    return [this, wanted] { show_action(journal::ShowComparison{"form", wanted}); };
  };
  add_possible(
      "Swap what is compared", [this] { swap_comparison(); }, compared);
  add_possible("Compare side by side", form("pair"), compared);
  add_possible("Compare as one text", form("marks"), compared);
  add_possible(
      "Close the comparison", [this] { show_action(journal::StopComparing{}); }, compared);
  add_copy("Copy the compared code",
           [this] { return compare_->active() ? compare_->code_text() : QString(); });
  add_copy("Copy the replayed script", [this] {
    return snapshot_.replay ? QString::fromStdString(snapshot_.replay->script) : QString();
  });
  section_ = "Views";
  add_copy("Copy the code", [this] { return code_->view().all_text(); });
}

void MainWindow::swap_comparison() {
  if (!compare_->active()) return say("Nothing is compared: choose two states in History");
  if (compare_->of_devices())
    show_action(journal::CompareDevices{compare_->before(), compare_->after_device().toStdString(),
                                        compare_->before_device().toStdString()});
  else
    show_action(journal::CompareStates{compare_->after(), compare_->before()});
}

void MainWindow::copy(QString const& text) {
  if (text.isEmpty()) return say("There is nothing to copy here yet");
  QApplication::clipboard()->setText(text);
  auto lines = text.count('\n') + !text.endsWith('\n');
  note(lines == 1 ? QString("Copied 1 line") : QString("Copied %1 lines").arg(lines));
}

}  // namespace tw
