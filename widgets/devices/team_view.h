// SPDX-License-Identifier: GPL-3.0-or-later
/// A team's queue: which jobs wait, run or are done, which workers are alive, and who has what.
#pragma once

#include <QWidget>

#include "widgets/devices/team_rows.h"
#include "widgets/theme/theme.h"

class QLabel;
class QLineEdit;
class QPushButton;
class QStackedWidget;
class QTableWidget;

namespace tw {

class TeamView : public QWidget {
  Q_OBJECT
public:
  explicit TeamView(QWidget* parent = nullptr);
  void set_theme(Theme const& theme);
  /// The address of the team's store, as it is attached; empty: none is.
  void show_store(QString const& address);
  void show_rows(TeamRows const& rows);
  /// What was wrong, or when the server was asked; empty: nothing.
  void say(QString const& sentence);
  QString sentence() const;
  TeamRows const& rows() const { return rows_; }
  /// Where one begins: the address while none is attached, else the jobs.
  QWidget* focus_target() const;

signals:
  void attach_asked(QString const& address);
  void refresh_asked();

private:
  QWidget* build_head();
  QWidget* build_tables();

  TeamRows rows_;
  bool attached_ = false;
  QColor bad_;
  QLineEdit* address_ = nullptr;
  QPushButton *attach_ = nullptr, *refresh_ = nullptr;
  QLabel *sentence_ = nullptr, *empty_ = nullptr;
  QStackedWidget* pages_ = nullptr;
  QTableWidget *jobs_ = nullptr, *workers_ = nullptr;
};

}  // namespace tw
