// SPDX-License-Identifier: GPL-3.0-or-later
/// Above the graph: after fusion, before it or both, what is laid over its cards, and the whole of
/// it.
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
  /// "after", "before" or "both".
  void show_state(std::string const& form, std::string const& overlay);

signals:
  void form_asked(QString form);
  void overlay_asked(QString name);
  void fit_asked();

private:
  std::vector<std::pair<std::string, QPushButton*>> forms_;
  std::vector<QPushButton*> overlays_;
};

}  // namespace tw
