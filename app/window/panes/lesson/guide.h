// SPDX-License-Identifier: GPL-3.0-or-later
/// A lesson that goes on in a window: what it opens, what it looks at, what it shows.
#pragma once

#include <QTimer>
#include <deque>
#include <map>
#include <optional>

#include "app/shared/lesson/walk.h"
#include "app/window/pane.h"
#include "widgets/lesson/lesson_view.h"

namespace tw {

class Guide : public QObject {
  Q_OBJECT
public:
  explicit Guide(Workbench& bench);

  Status open(std::string const& name);
  void close();
  Status go_to(int step);
  Status show_hint();
  Status show_me();
  Status answer(std::string const& words);
  /// Looks at the goals of the step.
  void look();

  bool is_open() const { return walk_.has_value(); }
  std::string name() const { return walk_ ? walk_->lesson().name : ""; }
  bool all_reached() const;
  /// Of the program's, the one behind this.
  std::optional<lesson::Card> const& following() const { return following_; }
  /// What it opens is not open yet.
  bool busy() const { return play_.isActive(); }
  std::optional<session::FactValue> fact(std::string const& name) const;
  LessonPage page() const;

signals:
  void changed();

private:
  void play_next();
  Status run(journal::Action const& action);
  void begin_step();
  void leave_step(int step);
  void wait_for_hint();
  std::vector<LessonPart> parts() const;
  lesson::FactOf facts() const;
  size_t hints_shown() const;

  Workbench& bench_;
  std::optional<lesson::Walk> walk_;
  std::optional<lesson::Card> following_;
  std::deque<journal::Action> queue_;  ///< what the lesson has yet to open
  QTimer play_, hint_;
  std::map<int, size_t> hints_;  ///< that are shown, by steps
  struct Begun {
    int state = 0;
    int before = 0;  ///< goals of earlier steps that were reached then
  };
  std::map<int, Begun> begun_at_;
  QString said_;  ///< of the last answer
};

}  // namespace tw
