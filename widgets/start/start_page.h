// SPDX-License-Identifier: GPL-3.0-or-later
/// What is shown without a model: where one is opened, samples, the machine, the next lesson, and
/// what was open before.
#pragma once

#include <QWidget>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "engine/session/start_page_data.h"
#include "widgets/start/start_values.h"
#include "widgets/theme/theme.h"

class QBoxLayout;
class QGridLayout;
class QLabel;
class QScrollArea;
class QVBoxLayout;

namespace tw {

class DropField;
class LessonCard;
class MachineCard;
class RecentRow;
class SampleButton;
class StartCard;

class StartPage : public QWidget {
  Q_OBJECT
public:
  explicit StartPage(std::vector<SampleCard> samples, QWidget* parent = nullptr);
  void set_theme(Theme const& theme);
  /// `measured`: when its roofs were; not valid: nobody knows.
  void show_machine(std::shared_ptr<session::MachineView const> machine,
                    QDateTime const& measured = {});
  void show_recent(std::vector<RecentFile> const& files);
  /// Of the sample with this source, or of what the lesson is about.
  void show_story(QString const& source, session::SampleSummary const& story);
  /// Nothing: there is no lesson, and no card of one.
  void show_lesson(std::optional<StartLesson> const& lesson);
  /// What the lesson is about, as samples have one; empty: there is no lesson.
  QString lesson_source() const;
  /// To the first sample, where nothing of the page has the focus.
  void take_focus();

signals:
  void open_asked();
  void sample_asked(QString source);
  void recent_asked(QString path);
  /// Take it off the list.
  void forget_asked(QString path);
  void devices_asked();
  void lesson_asked(QString name);
  void lessons_asked();

protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void resizeEvent(QResizeEvent*) override;
  void showEvent(QShowEvent*) override;

private:
  void show_promise();
  QWidget* build_left();
  QWidget* build_right();
  void make_samples(std::vector<SampleCard> const& samples);
  void adopt(StartCard* card);
  void add_recent(RecentFile const& file);
  void place();
  void place_samples(int columns, double height);
  void go(StartCard const* from, int key);

  Theme theme_;
  int in_row_ = 0;  ///< samples
  std::vector<SampleButton*> samples_;
  std::vector<RecentRow*> recents_;
  QScrollArea* scroll_ = nullptr;
  QVBoxLayout* page_ = nullptr;
  QBoxLayout* columns_ = nullptr;
  QVBoxLayout* left_ = nullptr;
  QVBoxLayout* right_ = nullptr;
  QVBoxLayout* recent_ = nullptr;
  QGridLayout* grid_ = nullptr;
  std::shared_ptr<session::MachineView const> at_hand_;
  /// By what lessons are about.
  std::map<QString, std::optional<session::KernelEstimate>> promises_;
  QLabel* no_recent_ = nullptr;
  QLabel* times_ = nullptr;
  DropField* drop_ = nullptr;
  MachineCard* machine_ = nullptr;
  LessonCard* lesson_ = nullptr;
};

}  // namespace tw
