// SPDX-License-Identifier: GPL-3.0-or-later
/// What stands in the place of panes that gave their room to another one: their names, each of
/// which brings them back.
#pragma once

#include <QList>
#include <QWidget>

#include "widgets/theme/theme.h"

class QAbstractButton;

namespace tw {

class PaneRail : public QWidget {
  Q_OBJECT
public:
  /// A vertical one is read from below upwards.
  PaneRail(Qt::Orientation orientation, char const* name);
  void set_theme(Theme const& theme);
  void show_names(QStringList const& names);
  QStringList names() const;

signals:
  void asked(QString name);

private:
  Qt::Orientation orientation_;
  Theme theme_;
  QList<QAbstractButton*> buttons_;
};

}  // namespace tw
