// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/parts/refusal_notice.h"

#include <QKeyEvent>
#include <QSplitter>
#include <QTimer>

#include "app/window/parts/docks.h"
#include "app/window/parts/room.h"
#include "widgets/refusal/refusal_card.h"

namespace tw {

RefusalNotice::RefusalNotice(QWidget& floor, Workbench& bench, PaneList& panes, Docks& docks)
    : QObject(&floor),
      floor_(floor),
      bench_(bench),
      panes_(panes),
      docks_(docks),
      card_(new RefusalCard(&floor)) {
  connect(card_, &RefusalCard::repair_chosen, this,
          [this](QString const& line) { bench_.apply_line(line); });
  connect(card_, &RefusalCard::repair_pointed_at, this,
          [this](QString const& line) { bench_.selection().point_at(line, card_); });
  connect(card_, &RefusalCard::dismissed, this,
          [this] { bench_.execute(session::DismissRefusal{}); });
}

void RefusalNotice::set_theme(Theme const& theme) { card_->set_theme(theme); }

void RefusalNotice::show_new() {
  session::Snapshot const& now = bench_.snapshot();
  if (card_->shown() != now.refusal.get()) {
    card_->show_refusal(now.refusal, now.nest);
    if (now.refusal) show_loop();
  }
  if (now.refusal)
    card_->look_ahead([this](std::string const& line) { return bench_.live().outlook(line); });
  place();
}

/// A small one above the lower views, at the right, where it covers neither the history nor the
/// loops that most refusals speak of; one that would cover most of the loops below them.
void RefusalNotice::place() {
  constexpr int kEdge = 24, kAbove = 12, kLoops = 200;
  double const scale = bench_.theme().scale;
  QSizeF most(floor_.width() - 2 * kEdge, floor_.height() - 40);
  int bottom_edge = floor_.height() - 20;
  QSplitter& below = docks_.room().lower();
  int lower = below.isVisible() ? below.mapTo(&floor_, QPoint(0, 0)).y() - kAbove : bottom_edge;
  auto size_in = [&](double wide) {
    return (card_->size_within(wide / scale, most.height() / scale) * scale).toSize();
  };
  // Above the views below, which show where a repair leads, with room for the loop it speaks of.
  auto is_small = [&](QSize size) {
    return size.width() <= floor_.width() * 7 / 10 && size.height() <= lower - kLoops * scale;
  };
  QSize size = size_in(most.width());
  if (QSize narrow = size_in(floor_.width() * 7 / 10); !is_small(size) && is_small(narrow))
    size = narrow;
  int bottom = is_small(size) ? lower : bottom_edge;
  card_->setGeometry(floor_.width() - kEdge - size.width(), bottom - size.height(), size.width(),
                     size.height());
}

void RefusalNotice::show_loop() {
  QTimer::singleShot(0, this, [this] {
    auto const& refusal = bench_.snapshot().refusal;
    if (!refusal || refusal->culprits.empty()) return;
    int covered = card_->mapToGlobal(QPoint(0, 0)).y();
    for (PlacedPane const& placed : panes_.all())
      placed.pane->bring_above(refusal->culprits.front(), covered);
  });
}

bool RefusalNotice::take_key(QKeyEvent const& event) {
  auto const& refusal = bench_.snapshot().refusal;
  if (!refusal) return false;
  if (event.key() == Qt::Key_Escape) return bench_.execute(session::DismissRefusal{}), true;
  if (event.key() < Qt::Key_1 || event.key() > Qt::Key_3) return false;
  auto index = size_t(event.key() - Qt::Key_1);
  if (index >= refusal->repairs.size()) return false;
  return bench_.apply_line(QString::fromStdString(refusal->repairs[index].step)), true;
}

}  // namespace tw
