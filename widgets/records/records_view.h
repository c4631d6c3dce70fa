// SPDX-License-Identifier: GPL-3.0-or-later
/// Stored trials: filtered, sorted, compared, opened as steps.
#pragma once

#include <QTimer>
#include <QWidget>

#include "widgets/records/record_details.h"
#include "widgets/records/record_model.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSplitter;
class QTableView;

namespace tw {

class RecordsView : public QWidget {
  Q_OBJECT
public:
  explicit RecordsView(QWidget* parent = nullptr);
  void set_theme(Theme const& theme);
  RecordModel& model() { return *model_; }
  RecordFilter filter() const;
  /// Shows it without telling anybody.
  void set_filter(RecordFilter const& filter);
  void offer(RecordNames const& names);
  /// Of those that the filter leaves, and of all.
  void begin(int rows, qint64 all);
  void say_working();
  /// In place of the table: why there is none. Empty: there is one.
  void say(QString const& sentence);
  QString sentence() const { return said_; }
  /// In place of all of it: nothing was ever stored.
  void say_empty(QString const& sentence);
  /// Whether a kernel is there whose tuning would store something.
  void offer_tuning(bool possible);
  int rows() const { return model_->rowCount(); }
  /// One or two trials, which need not be in the table.
  void show_trials(std::vector<RecordRow> const& rows);
  std::vector<qint64> selected() const;
  bool can_open() const { return shown_.size() == 1; }
  void open_selected();
  QWidget* focus_target() const;
  void focus_search();

signals:
  void filter_changed(RecordFilter const& filter);
  void selected_changed(std::vector<qint64> const& trials);
  void open_asked(qint64 trial);
  void tune_asked();

protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

private:
  QWidget* build_head();
  QWidget* build_table();
  QWidget* build_empty();
  QComboBox* chooser(QString const& name, QString const& title);
  void connect_parts();
  void sort_by(int column);
  void take_selection();
  void change();
  void show_sorting();

  RecordModel* model_ = nullptr;
  RecordDetails* details_ = nullptr;
  std::vector<RecordRow> shown_;
  RecordNames names_;
  bool quiet_ = false;  ///< what changes was not done by a person
  QTimer soon_;         ///< while one types
  QLineEdit* text_ = nullptr;
  QComboBox *kernel_ = nullptr, *device_ = nullptr, *outcome_ = nullptr, *job_ = nullptr,
            *order_ = nullptr;
  QPushButton* best_ = nullptr;
  QLabel *count_ = nullptr, *sentence_ = nullptr;
  QTableView* table_ = nullptr;
  QWidget *head_ = nullptr, *empty_ = nullptr;
  QLabel* why_empty_ = nullptr;
  QPushButton* tune_ = nullptr;
  QString said_;
  QSplitter* parts_ = nullptr;
};

}  // namespace tw
