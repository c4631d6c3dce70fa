// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/view_names.h"

#include <QScrollArea>

#include "app/window/pane.h"

namespace tw {

QString view_name(QString const& tab_text) {
  for (PaneRow const* row : pane_table())  // some have another title now
    if (row->title == tab_text) return QString::fromStdString(row->name);
  return tab_text.toLower().replace(' ', '_');
}

QString scroll_name(QAbstractScrollArea const* area) {
  auto const* scroll = qobject_cast<QScrollArea const*>(area);
  return scroll && scroll->widget() ? scroll->widget()->objectName() : area->objectName();
}

}  // namespace tw
