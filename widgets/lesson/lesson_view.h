// SPDX-License-Identifier: GPL-3.0-or-later
/// A step of a lesson: its text, its goals with a mark each, questions, hints, and ways on.
#pragma once

#include <QScrollArea>
#include <QWidget>
#include <functional>
#include <vector>

#include "widgets/theme/theme.h"

class QLabel;
class QPushButton;
class QVBoxLayout;

namespace tw {

struct LessonGoal {
  QString text;
  bool reached = false;
  bool asks = false;
  QStringList choices;  ///< of a question; none: a number is asked for
  bool operator==(LessonGoal const&) const = default;
};

/// A part of a step's text: Markdown, or a picture.
struct LessonPart {
  QString text;     ///< of a picture what it shows
  QString picture;  ///< a file; empty: it is text
  bool operator==(LessonPart const&) const = default;
};

struct LessonPage {
  QString lesson, title;
  int step = 0, steps = 0;  ///< from 1
  std::vector<LessonPart> parts;
  std::vector<LessonGoal> goals;
  QStringList hints;  ///< that are shown
  bool more_hints = false, more_moves = false;
  QString said;       ///< of the last answer, where it was wrong
  QString following;  ///< in the last step: the lesson that comes next; empty: none does
  bool operator==(LessonPage const&) const = default;
};

class LessonView : public QWidget {
  Q_OBJECT
public:
  explicit LessonView(QWidget* parent = nullptr);
  void set_theme(Theme const& theme);
  void show_page(LessonPage const& page);
  LessonPage const& page() const { return page_; }
  /// What takes the focus when the lesson comes to the front.
  QWidget* first() const;
  /// The focus, and the sight: to what is answered, else to the way on.
  void go_to_answer();

signals:
  void previous_asked();
  void next_asked();
  void following_asked();
  void hint_asked();
  void show_me_asked();
  void close_asked();
  void answered(QString words);
  /// "view:roofline", "kernel:NAME", "loop:C.i"
  void link_asked(QString target);

private:
  void build_head(QVBoxLayout* column);
  void build_foot(QVBoxLayout* column);
  /// Of a page that is made anew.
  struct Kept {
    int scrolled = 0;
    QString typed;
    bool had_focus = false;
    QString name, words;  ///< of what had it
  };
  Kept keep() const;
  void focus_again(Kept const& kept);
  void type_again(Kept const& kept, LessonPage const& before);
  void fill(LessonPage const& before);
  void make_page();
  void add_parts();
  QList<QWidget*> news_since(LessonPage const& before) const;
  void see(int scrolled, QList<QWidget*> const& news);
  void look_again();
  void scrolled();
  QList<QWidget*> open_below() const;
  void tell_below();
  void see_the_open();
  void fill_texts();
  void add_goal(LessonGoal const& goal, bool is_open);
  void add_answers(LessonGoal const& goal);
  void add_number(QVBoxLayout* column);
  void add_hint(QString const& hint);
  void show_buttons();

  LessonPage page_;
  Theme theme_;
  QLabel* lesson_ = nullptr;
  QLabel* progress_ = nullptr;
  QScrollArea* scroll_ = nullptr;
  QVBoxLayout* body_ = nullptr;
  QPushButton* below_ = nullptr;  ///< leads to goals out of sight
  QPushButton* following_ = nullptr;
  QPushButton* previous_ = nullptr;
  QPushButton* next_ = nullptr;
  QPushButton* hint_ = nullptr;
  QPushButton* show_ = nullptr;
  std::function<void()> look_;  ///< at what is new; null: somebody has scrolled
  bool looks_ = false;
  std::vector<QLabel*> texts_;  ///< of the parts that are text
};

}  // namespace tw
