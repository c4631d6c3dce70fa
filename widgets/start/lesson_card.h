// SPDX-License-Identifier: GPL-3.0-or-later
/// The lesson that comes next: what it is about, where its kernel stands, what is to be reached.
/// Not there while there is none.
#pragma once

#include <QFrame>
#include <memory>
#include <optional>

#include "widgets/start/start_values.h"
#include "widgets/theme/theme.h"

class QLabel;
class QPushButton;
class QVBoxLayout;

namespace tw {

namespace session {
struct KernelEstimate;
struct MachineView;
}  // namespace session

class RoofPicture;

class LessonCard : public QFrame {
  Q_OBJECT
public:
  LessonCard();
  void set_theme(Theme const& theme);
  void show_lesson(std::optional<StartLesson> const& lesson);
  void show_kernel(std::shared_ptr<session::MachineView const> machine,
                   std::optional<session::KernelEstimate> const& promise);
  /// In a low window the picture and the goals give way to what was open.
  void set_low(bool low);
  QString source() const { return lesson_ ? lesson_->source : QString(); }

signals:
  void lesson_asked(QString name);
  void list_asked();

private:
  static constexpr int kMostGoals = 3;
  void show_goals();

  std::optional<StartLesson> lesson_;
  bool low_ = false;
  QVBoxLayout* column_ = nullptr;
  QLabel* length_ = nullptr;
  QLabel* title_ = nullptr;
  QLabel* sentence_ = nullptr;
  RoofPicture* picture_ = nullptr;
  std::vector<QLabel*> goals_;
  QPushButton* start_ = nullptr;
  QPushButton* more_ = nullptr;
};

}  // namespace tw
