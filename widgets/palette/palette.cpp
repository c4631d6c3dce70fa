// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/palette/palette.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/palette/fuzzy.h"
#include "widgets/theme/theme.h"

namespace tw {
namespace {

constexpr size_t kMostShown = 60;

}  // namespace

Palette::Palette(std::vector<PaletteEntry> entries, QWidget* parent)
    : QDialog(parent), entries_(std::move(entries)), find_(new QLineEdit), list_(new QListWidget) {
  setObjectName("palette");
  setWindowTitle("Commands");
  resize(560, 460);
  find_->setObjectName("paletteFind");
  find_->setAccessibleName("Command");
  find_->setPlaceholderText(
      "A command, kernel, loop or tensor, or a step: split(conv2d.o, factor=16)");
  find_->installEventFilter(this);
  list_->setObjectName("paletteList");
  list_->setAccessibleName("Commands found");
  list_->setFocusPolicy(Qt::NoFocus);  // the arrows move in it while one types
  auto* column = new QVBoxLayout(this);
  column->addWidget(find_);
  column->addWidget(list_, 1);
  connect(find_, &QLineEdit::textChanged, this, &Palette::fill);
  connect(find_, &QLineEdit::returnPressed, this, &Palette::choose);
  connect(list_, &QListWidget::itemClicked, this, &Palette::choose);
  fill({});
  find_->setFocus();
}

/// Up, Down and the page keys belong to the list, whatever the line has.
bool Palette::eventFilter(QObject* watched, QEvent* event) {
  if (watched != find_ || event->type() != QEvent::KeyPress) return false;
  int step = 0;
  switch (static_cast<QKeyEvent*>(event)->key()) {
    case Qt::Key_Up:
      step = -1;
      break;
    case Qt::Key_Down:
      step = 1;
      break;
    case Qt::Key_PageUp:
      step = -10;
      break;
    case Qt::Key_PageDown:
      step = 10;
      break;
    default:
      return false;
  }
  if (list_->count() > 0)
    list_->setCurrentRow(std::clamp(list_->currentRow() + step, 0, list_->count() - 1));
  return true;
}

QStringList Palette::shown() const {
  QStringList names;
  for (int i = 0; i < list_->count(); ++i)
    if (int index = list_->item(i)->data(Qt::UserRole).toInt(); index >= 0)
      names << entries_[size_t(index)].name;
  return names;
}

void Palette::fill(QString const& typed) {
  struct Hit {
    size_t entry;
    int score;
  };
  std::vector<Hit> hits;
  for (size_t i = 0; i < entries_.size(); ++i) {
    PaletteEntry const& entry = entries_[i];
    if (entry.when_typed && typed.trimmed().isEmpty()) continue;
    auto name = fuzzy_score(typed, entry.name), also = fuzzy_score(typed, entry.also);
    if (name || (also && !entry.also.isEmpty()))
      hits.push_back({i, std::max(name.value_or(-1000), also.value_or(-1000))});
  }
  // Of two that fit alike the shorter one was meant; without letters the order is the list's.
  bool any = !typed.trimmed().isEmpty();
  std::ranges::stable_sort(hits, [&](Hit const& a, Hit const& b) {
    if (a.score != b.score || !any) return a.score > b.score;
    return entries_[a.entry].name.size() < entries_[b.entry].name.size();
  });
  if (hits.size() > kMostShown) hits.resize(kMostShown);
  list_->clear();
  for (Hit const& hit : hits) {
    PaletteEntry const& entry = entries_[hit.entry];
    QString words = entry.name;
    if (!entry.also.isEmpty()) words += "   " + entry.also;
    if (!entry.keys.isEmpty()) words += "   " + entry.keys;
    auto* item = new QListWidgetItem(words, list_);
    item->setData(Qt::UserRole, int(hit.entry));
  }
  if (hits.empty() && !typed.contains('(')) {
    auto* nothing = new QListWidgetItem("No matches. Ctrl+F searches the focused view.", list_);
    nothing->setFlags(Qt::NoItemFlags);
    nothing->setData(Qt::UserRole, -1);
  }
  list_->setCurrentRow(0);
}

void Palette::choose() {
  QString text = find_->text();
  QListWidgetItem* item = list_->currentItem();
  int index = item ? item->data(Qt::UserRole).toInt() : -1;
  if (text.contains('(')) {
    close();
    emit line_typed(text);
  } else if (index >= 0) {
    close();
    entries_[size_t(index)].run();
  }
}

}  // namespace tw
