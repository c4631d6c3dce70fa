// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/loop_nest/step_row.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPushButton>

#include "widgets/loop_nest/loop_nest_view.h"

namespace tw {

StepRow::StepRow(std::vector<session::PrimitiveView> const& primitives, QWidget* parent)
    : QWidget(parent),
      hint_(new QLabel("Drag a bar to reorder (with Shift: to fuse); pull its handle to split")),
      more_(new QPushButton("More steps")),
      menu_(new QMenu(this)) {
  hint_->setProperty("role", "label");
  more_->setObjectName("moreSteps");
  more_->setMenu(menu_);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(16, 8, 16, 4);
  row->setSpacing(6);
  row->setSizeConstraint(QLayout::SetNoConstraint);  // it hides what has no room
  row->addWidget(hint_);
  row->addStretch(1);
  for (session::PrimitiveView const& primitive : primitives) {
    QString name = QString::fromStdString(primitive.name),
            key = QString::fromStdString(primitive.key),
            title = QString::fromStdString(primitive.title);
    QAction* action =
        menu_->addAction(title + "\t" + key, this, [this, name] { emit step_asked(name); });
    if (!primitive.at_hand) continue;  // in the menu only
    auto* chip = new StepChip(name, key, title, primitive.mark);
    connect(chip, &StepChip::clicked, this, &StepRow::step_asked);
    places_.push_back({chip, action});
    action->setVisible(false);
    row->addWidget(chip);
  }
  row->addWidget(more_);
}

std::vector<StepChip*> StepRow::chips() const {
  std::vector<StepChip*> chips;
  for (Place const& place : places_) chips.push_back(place.chip);
  return chips;
}

QSize StepRow::minimumSizeHint() const {
  return {wide(0, false), layout()->minimumSize().height()};
}

int StepRow::wide(int chips, bool hint) const {
  QMargins edges = layout()->contentsMargins();
  int sum = edges.left() + edges.right() + more_->sizeHint().width();
  for (int i = 0; i < chips; ++i) sum += places_[size_t(i)].chip->width() + layout()->spacing();
  return hint ? sum + hint_->sizeHint().width() + 2 * layout()->spacing() : sum;
}

void StepRow::fit() {
  auto count = int(places_.size());
  while (count > 0 && wide(count, false) > width()) --count;
  for (size_t i = 0; i < places_.size(); ++i) {
    places_[i].chip->setVisible(int(i) < count);
    places_[i].instead->setVisible(int(i) >= count);
  }
  hint_->setVisible(count == int(places_.size()) && wide(count, true) <= width());
}

/// Chips of another size ask for another layout.
bool StepRow::event(QEvent* event) {
  if (event->type() == QEvent::LayoutRequest) fit();
  return QWidget::event(event);
}

}  // namespace tw
