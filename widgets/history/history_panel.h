// SPDX-License-Identifier: GPL-3.0-or-later
/// The history's map under a line to search it, with what can be done with its states.
#pragma once

#include <QWidget>

#include "widgets/history/history_view.h"

class QLabel;
class QPushButton;
class QScrollArea;

namespace tw {

class Chooser;

class HistoryPanel : public QWidget {
  Q_OBJECT
public:
  explicit HistoryPanel(QWidget* parent = nullptr);
  HistoryView& view() { return *view_; }
  void set_theme(Theme const& theme);
  void show_history(std::shared_ptr<session::HistoryView const> const& history,
                    std::shared_ptr<session::Marks const> const& marks);
  void filter(HistoryFilter filter);
  /// "all", "tagged", "named", "best", "found".
  static QStringList const& filter_names();
  /// The same words again go on to the next step that has them. Returns how many there are.
  int find(QString const& words);
  void fold(bool folded);
  QString words() const;

signals:
  void find_asked(QString const& words);
  void filter_asked(QString const& name);
  void fold_asked(bool folded);
  void compare_asked();
  void replay_asked();

private:
  HistoryView* view_;
  QScrollArea* scroll_;
  QLineEdit* find_;
  QLabel* found_;
  Chooser* filter_;
  QPushButton* fold_;
  QPushButton* compare_;
  QPushButton* replay_;
  QString searched_;
};

}  // namespace tw
