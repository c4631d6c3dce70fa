// SPDX-License-Identifier: GPL-3.0-or-later
// What panes ask of the window, handed on to the part that does it.
#include <QApplication>
#include <QClipboard>
#include <QWidget>

#include "app/window/pane.h"
#include "app/window/parts/commands.h"
#include "app/window/parts/dialogs.h"
#include "app/window/parts/docks.h"
#include "app/window/parts/focus.h"
#include "app/window/parts/look.h"
#include "app/window/parts/notices.h"
#include "app/window/parts/performer.h"
#include "app/window/parts/picture_saving.h"

namespace tw {

Recorder& Workbench::recorder() { return parts_.performer->recorder(); }

Status Workbench::perform(journal::Action const& action) {
  return parts_.performer->perform(action);
}

void Workbench::user_did(journal::Action const& action) { parts_.performer->user_did(action); }

void Workbench::execute(session::Command const& command) {
  auto const* kernel = command.as<session::SelectKernel>();
  if (!kernel) return ask(command);
  auto const& table = snapshot_.kernels;
  bool known = table && kernel->row >= 0 && size_t(kernel->row) < table->rows.size();
  ask(journal::ChooseKernel{known ? table->rows[size_t(kernel->row)].name
                                  : std::to_string(kernel->row)});
}

void Workbench::set_handler(std::type_index kind,
                            std::function<Status(journal::Action const&)> run) {
  parts_.performer->set_handler(kind, std::move(run));
}

void Workbench::run_action(QString const& command) { parts_.commands->run(command); }
void Workbench::add_command(UserCommand command) { parts_.commands->add(std::move(command)); }

void Workbench::add_dialog(std::string name, std::function<Status(QString const&)> open) {
  parts_.dialogs->add(std::move(name), std::move(open));
}

void Workbench::add_copy(QString section, QString name, std::function<QString()> text) {
  add_command({.section = std::move(section),
               .name = std::move(name),
               .run = [this, text] { copy(text()); },
               .possible = [text] { return !text().isEmpty(); },
               .copies = true});
}

Status Workbench::show_view(std::string const& name) { return parts_.docks->show(name); }
void Workbench::show_tab(Pane& pane) { parts_.docks->show_tab(pane); }
void Workbench::offer_tab(Pane& pane) { parts_.docks->offer_tab(pane); }
void Workbench::hide_tab(Pane& pane) { parts_.docks->hide_tab(pane); }
void Workbench::explain(QString const& words) { parts_.docks->explain(words); }
void Workbench::offer_focus(QWidget* widget) { parts_.focus->offer(widget); }
void Workbench::focus_home() { parts_.focus->home(); }

void Workbench::open(QDialog* dialog) { parts_.dialogs->open(dialog, parts_.look->room()); }

void Workbench::show_menu(QStringList const& names, QPoint at, std::vector<MenuEntry> const& here) {
  parts_.commands->show_menu(names, at, here);
}

/// Commands that have to do with a view, where it has no menu of its own.
void Workbench::add_menu(QWidget* view, QStringList const& names) {
  view->setContextMenuPolicy(Qt::CustomContextMenu);
  QObject::connect(view, &QWidget::customContextMenuRequested, view,
                   [this, view, names](QPoint at) { show_menu(names, view->mapToGlobal(at)); });
}

void Workbench::copy(QString const& text) {
  if (text.isEmpty()) return say(QString("There is nothing to copy here yet"));
  QApplication::clipboard()->setText(text);
  auto lines = text.count('\n') + !text.endsWith('\n');
  note(lines == 1 ? QString("Copied 1 line") : QString("Copied %1 lines").arg(lines));
}

void Workbench::copy_picture(std::string const& view) { parts_.pictures->copy(view); }

void Workbench::say(QString const& sentence) {
  say(Error{"", sentence.toStdString(), {}, Fault::kBadInput}, typeid(void));
}

void Workbench::say(Error const& error, std::type_index action) {
  parts_.notices->say(error, action);
}

void Workbench::note(QString const& sentence) { parts_.notices->note(sentence); }

}  // namespace tw
