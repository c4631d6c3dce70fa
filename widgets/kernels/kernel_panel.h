// SPDX-License-Identifier: GPL-3.0-or-later
/// The kernels under a line to filter them, with a menu of columns.
#pragma once

#include <QWidget>

#include "widgets/kernels/kernel_list.h"

class QLabel;
class QLineEdit;
class QPushButton;
class QScrollArea;

namespace tw {

class KernelPanel : public QWidget {
  Q_OBJECT
public:
  explicit KernelPanel(QWidget* parent = nullptr);
  KernelList& list() { return *list_; }
  void set_theme(Theme const& theme) { list_->set_theme(theme); }
  void show_summary(QString const& words);
  void filter(QString const& words);
  QString words() const;
  void focus_filter();
  /// The menu of columns, below its button or where it was asked for.
  void show_columns(QPoint global = {});

signals:
  void filter_asked(QString const& words);
  void columns_asked(std::vector<session::KernelKey> const& columns);

private:
  void toggle(session::KernelKey key, bool on);

  KernelList* list_;
  QScrollArea* scroll_;
  QLineEdit* filter_;
  QPushButton* columns_;
  QLabel* summary_;
};

}  // namespace tw
