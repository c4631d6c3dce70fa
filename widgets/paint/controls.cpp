// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/paint/controls.h"

#include <QLabel>
#include <QPushButton>

namespace tw::controls {

QPushButton* button(QString const& text, QString const& name, QString const& why) {
  auto* made = new QPushButton(text);
  made->setObjectName(name);
  made->setToolTip(why);
  return made;
}

QLabel* label(QString const& name, char const* role, Wrap wrap) {
  auto* made = new QLabel;
  made->setObjectName(name);
  made->setProperty("role", role);
  made->setTextFormat(Qt::PlainText);
  made->setWordWrap(wrap == Wrap::kYes);
  return made;
}

}  // namespace tw::controls
