// SPDX-License-Identifier: GPL-3.0-or-later
// What a journal may expect: of the window itself, of its panes, and of the session.
#include <QDialog>
#include <QFileInfo>
#include <QTabWidget>

#include "app/window/main_window.h"
#include "app/window/view_names.h"
#include "engine/session/facts/code_facts.h"

namespace tw {

std::optional<session::FactValue> MainWindow::fact(std::string const& name) const {
  auto words = [](QString const& text) { return text.toStdString(); };
  if (name == "error" && trouble_) return words(trouble_->sentence);
  if (name == "text.scale") return double(scale_);
  if (name == "status") return words(status_words_);
  if (name == "view" && alone_) return alone_->row->name;
  if (name == "view") return words(view_name(centre_->tabText(centre_->currentIndex())));
  if (name == "theme") return words(QString(theme_name_).replace('_', '-'));
  if (name == "window.width") return double(width());
  if (name == "window.height") return double(height());
  QString file = QFileInfo(keeper_->file()).fileName();
  if (name == "project") return file.isEmpty() ? "none" : words(file);
  if (name == "project.embeds") return keeper_->embeds() ? "yes" : "no";
  if (name == "project.changed") return keeper_->changed() ? "yes" : "no";
  QDialog const* dialog = open_dialog();
  if (name == "dialog") return dialog ? words(dialog->objectName()) : "none";
  for (Placed& placed : panes_) {
    auto value = placed.pane->fact(name);
    if (!value) continue;
    if (!placed.waits) return value;
    tell(placed);
    return placed.pane->fact(name);
  }
  if (session::is_code_fact(name)) return session::code_fact(name, session_);
  return session::fact(name, snapshot_, {selection_->loop(), selection_->hovered()});
}

}  // namespace tw
