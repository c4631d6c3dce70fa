// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/graph/graph_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

#include "widgets/graph/graph_overlay.h"
#include "widgets/paint/controls.h"

namespace tw {
namespace {

QPushButton* quiet(QString const& text, QString const& name, QString const& why) {
  QPushButton* made = controls::button(text, name, why);
  made->setProperty("quiet", true);
  made->setFocusPolicy(Qt::TabFocus);
  return made;
}

}  // namespace

GraphBar::GraphBar(QWidget* parent)
    : QWidget(parent),
      after_(quiet("After", "graphAfter", "The graph after fusion")),
      before_(quiet("Before", "graphBefore", "The graph before fusion")) {
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(8, 3, 8, 3);
  row->setSpacing(2);
  for (QPushButton* button : {after_, before_}) {
    button->setCheckable(true);
    button->setAccessibleName(button->toolTip());
    row->addWidget(button);
    connect(button, &QPushButton::clicked, this,
            [this, button] { emit form_asked(button == before_); });
  }
  row->addStretch(1);
  for (std::string const& name : graph::overlay_names()) {
    QString text = QString::fromStdString(name);
    QPushButton* button = quiet(text, "overlay_" + text, "Lay over the cards: " + text);
    button->setCheckable(true);
    button->setAccessibleName("Overlay: " + text);
    row->addWidget(button);
    overlays_.push_back(button);
    connect(button, &QPushButton::clicked, this, [this, text] { emit overlay_asked(text); });
  }
  row->addStretch(1);
  QPushButton* fit = quiet("Fit", "fitGraph", "Show the whole graph (0)");
  fit->setAccessibleName("Fit the graph");
  row->addWidget(fit);
  connect(fit, &QPushButton::clicked, this, &GraphBar::fit_asked);
  show_state(false, "time");
}

void GraphBar::show_state(bool before, std::string const& overlay) {
  after_->setChecked(!before);
  before_->setChecked(before);
  for (size_t i = 0; i < overlays_.size(); ++i)
    overlays_[i]->setChecked(graph::overlay_names()[i] == overlay);
}

}  // namespace tw
