// SPDX-License-Identifier: GPL-3.0-or-later
/// What is shown without a model: open, samples, the machine.
#pragma once

#include <QWidget>
#include <memory>

#include "engine/session/values.h"
#include "widgets/theme/theme.h"

class QLabel;
class QVBoxLayout;

namespace tw {

struct SampleCard {
  QString name, title, description;
};

class StartPage : public QWidget {
  Q_OBJECT
public:
  explicit StartPage(std::vector<SampleCard> samples, QWidget* parent = nullptr);
  void set_theme(Theme const& theme);
  void show_machine(std::shared_ptr<session::MachineView const> machine);
  void show_recent(QStringList const& paths);

signals:
  void open_asked();
  void sample_asked(QString name);
  void recent_asked(QString path);
  /// Take it off the list.
  void forget_asked(QString path);

private:
  QLabel* machine_ = nullptr;
  QLabel* roofs_ = nullptr;
  QVBoxLayout* recent_ = nullptr;
};

}  // namespace tw
