// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/pane.h"

#include <QWidget>

namespace tw {

void Workbench::add_copy(QString section, QString name, std::function<QString()> text) {
  add_command({.section = std::move(section),
               .name = std::move(name),
               .run = [this, text] { copy(text()); },
               .possible = [text] { return !text().isEmpty(); },
               .copies = true});
}

/// Commands that have to do with a view, where it has no menu of its own.
void Workbench::add_menu(QWidget* view, QStringList const& names) {
  view->setContextMenuPolicy(Qt::CustomContextMenu);
  QObject::connect(view, &QWidget::customContextMenuRequested, view,
                   [this, view, names](QPoint at) { show_menu(names, view->mapToGlobal(at)); });
}

}  // namespace tw
