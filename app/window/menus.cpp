// SPDX-License-Identifier: GPL-3.0-or-later
// What a right click offers: commands of the palette that fit the thing below the pointer.
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QMenu>
#include <algorithm>

#include "app/window/main_window.h"
#include "app/window/pictures/pictures.h"

namespace tw {

/// In the order of the names; what cannot be done now is there and grey.
void MainWindow::show_menu(QStringList const& names, QPoint at,
                           std::vector<MenuEntry> const& here) {
  auto* menu = new QMenu(this);
  menu->setObjectName("viewMenu");
  menu->setAttribute(Qt::WA_DeleteOnClose);
  for (MenuEntry const& entry : here)
    menu->addAction(entry.name, entry.run)->setEnabled(entry.possible);
  if (!here.empty()) menu->addSeparator();
  for (QString const& name : names) {
    auto known = std::ranges::find(actions_, name, &UserCommand::name);
    if (known == actions_.end()) continue;
    QAction* item = menu->addAction(name + "\t" + known->keys, known->run);
    item->setEnabled(!known->possible || known->possible());
  }
  // What a picture is of is seen: two panes never lie above each other.
  auto below = [at](Placed const& placed) {
    QWidget const* view = placed.widget;
    return view->isVisible() && view->rect().contains(view->mapFromGlobal(at));
  };
  if (auto placed = std::ranges::find_if(panes_, below); placed != panes_.end()) {
    menu->addSeparator();
    menu->addAction(kSavePicture, [this, name = placed->row->name] {
      show_action(journal::ShowDialog{"picture", name});
    });
    menu->addAction(kCopyPicture, [this, copied = &*placed] { copy_picture(*copied); });
  }
  menu->popup(at);
}

void MainWindow::copy(QString const& text) {
  if (text.isEmpty()) return say("There is nothing to copy here yet");
  QApplication::clipboard()->setText(text);
  auto lines = text.count('\n') + !text.endsWith('\n');
  note(lines == 1 ? QString("Copied 1 line") : QString("Copied %1 lines").arg(lines));
}

}  // namespace tw
