// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/graph/graph_bar.h"

#include <QLabel>
#include <QPushButton>

#include "widgets/graph/graph_overlay.h"
#include "widgets/paint/controls.h"
#include "widgets/paint/wrap_layout.h"

namespace tw {
namespace {

QPushButton* quiet(QString const& text, QString const& name, QString const& why) {
  QPushButton* made = controls::button(text, name, why);
  made->setProperty("quiet", true);
  made->setFocusPolicy(Qt::TabFocus);
  return made;
}

}  // namespace

GraphBar::GraphBar(QWidget* parent) : QWidget(parent) {
  auto* row = new WrapLayout(2, this);
  row->setContentsMargins(8, 3, 8, 3);
  auto gap = [row] { row->addItem(new QSpacerItem(16, 1, QSizePolicy::Fixed)); };
  auto add = [&](std::string const& form, QString const& text, QString const& why) {
    QPushButton* button = quiet(text, QString::fromStdString("form_" + form), why);
    button->setCheckable(true);
    button->setAccessibleName(why);
    row->addWidget(button);
    forms_.emplace_back(form, button);
    connect(button, &QPushButton::clicked, this,
            [this, form] { emit form_asked(QString::fromStdString(form)); });
  };
  add("after", "After", "The graph after fusion");
  add("before", "Before", "The graph before fusion");
  add("both", "Side by side", "The graph before and after fusion, side by side");
  gap();
  for (std::string const& name : graph::overlay_names()) {
    QString text = QString::fromStdString(name);
    QPushButton* button = quiet(text, "overlay_" + text, "Overlay: " + text);
    button->setCheckable(true);
    button->setAccessibleName("Overlay: " + text);
    row->addWidget(button);
    overlays_.push_back(button);
    connect(button, &QPushButton::clicked, this, [this, text] { emit overlay_asked(text); });
  }
  gap();
  QPushButton* fit = quiet("Fit", "fitGraph", "Show the whole graph (0)");
  fit->setAccessibleName("Fit the graph");
  row->addWidget(fit);
  connect(fit, &QPushButton::clicked, this, &GraphBar::fit_asked);
  show_state("after", "time");
}

void GraphBar::show_state(std::string const& form, std::string const& overlay) {
  for (auto const& [name, button] : forms_) button->setChecked(name == form);
  for (size_t i = 0; i < overlays_.size(); ++i)
    overlays_[i]->setChecked(graph::overlay_names()[i] == overlay);
}

}  // namespace tw
