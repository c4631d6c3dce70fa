// SPDX-License-Identifier: GPL-3.0-or-later
/// The machines that kernels can run on: what each is, whether it answers, what it can do, and what
/// happened on it. A second page has the queue of a team.
#pragma once

#include <QWidget>

#include "widgets/devices/device_list.h"
#include "widgets/devices/roof_bars.h"
#include "widgets/devices/team_view.h"

class QGridLayout;
class QLabel;
class QPlainTextEdit;
class QPushButton;
class QScrollArea;
class QStackedWidget;
class QTabBar;

namespace tw {

class DevicesView : public QWidget {
  Q_OBJECT
public:
  explicit DevicesView(QWidget* parent = nullptr);
  void set_theme(Theme const& theme);
  /// The selection stays on the device of the same name.
  void show_devices(std::vector<DeviceRow> rows);
  /// Of the selected device, the oldest first; lines that are there already stay.
  void show_log(QString const& device, std::vector<DeviceLogLine> const& lines);
  /// A sentence above the list; empty: none.
  void say(QString const& sentence);
  QString sentence() const;
  /// False: there is no such device.
  bool select(QString const& name);
  DeviceRow const* selected() const;
  std::vector<DeviceRow> const& devices() const { return rows_; }
  QString log_text() const;
  /// The selected one, where its button would do it.
  bool can_use() const;
  bool can_remove() const;
  void use_selected() { use(selected_); }
  void remove_selected() { remove(selected_); }
  void copy_log() const;
  enum class Page : uint8_t { kMachines, kTeam };
  void show_page(Page page);
  Page page() const;
  TeamView& team() { return *team_; }

signals:
  void selected_changed(QString const& name);
  void use_asked(QString const& name);
  void remove_asked(QString const& name);
  void check_asked();
  void add_asked();
  /// What can be done with the selected device.
  void menu_asked(QPoint global);
  void page_changed();

protected:
  void focusInEvent(QFocusEvent*) override;

private:
  QWidget* build_machines();
  QWidget* build_head();
  QWidget* build_details();
  QWidget* build_log();
  void choose(int row);
  void use(int row);
  void remove(int row);
  void show_details();
  void show_figures(std::vector<DeviceFigure> const& figures);

  std::vector<DeviceRow> rows_;
  int selected_ = -1;
  std::vector<DeviceFigure> shown_figures_;
  QString logged_;       ///< the device whose log is shown
  QStringList logging_;  ///< its lines
  DeviceList* list_ = nullptr;
  RoofBars* roofs_ = nullptr;
  QTabBar* tabs_ = nullptr;
  QStackedWidget* pages_ = nullptr;
  TeamView* team_ = nullptr;
  QScrollArea* left_ = nullptr;
  QLabel *title_ = nullptr, *state_ = nullptr, *sentence_ = nullptr;
  QGridLayout* figures_ = nullptr;
  QPlainTextEdit* log_ = nullptr;
  QPushButton *use_ = nullptr, *check_ = nullptr, *remove_ = nullptr, *add_ = nullptr,
              *copy_ = nullptr;
};

}  // namespace tw
