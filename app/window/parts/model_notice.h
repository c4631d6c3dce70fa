// SPDX-License-Identifier: GPL-3.0-or-later
/// The bar above the views: sizes that the open model leaves to its user, and what of it was not
/// understood.
#pragma once

#include <QObject>

#include "app/window/pane.h"

namespace tw {

class ModelBar;

class ModelNotice : public QObject {
  Q_OBJECT
public:
  explicit ModelNotice(Workbench& bench);
  QWidget* bar() const;
  /// What is new in the snapshot.
  void show_new();

private:
  void use_shapes(QString const& shapes);
  void show_notes();

  Workbench& bench_;
  ModelBar* bar_;
};

}  // namespace tw
