// SPDX-License-Identifier: GPL-3.0-or-later
/// Above the graph: before or after fusion, what is laid over its cards, and the whole of it.
#pragma once

#include <QWidget>
#include <string>
#include <vector>

class QPushButton;

namespace tw {

class GraphBar : public QWidget {
  Q_OBJECT
public:
  explicit GraphBar(QWidget* parent = nullptr);
  void show_state(bool before, std::string const& overlay);

signals:
  void form_asked(bool before);
  void overlay_asked(QString name);
  void fit_asked();

private:
  QPushButton *after_, *before_;
  std::vector<QPushButton*> overlays_;
};

}  // namespace tw
