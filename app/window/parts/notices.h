// SPDX-License-Identifier: GPL-3.0-or-later
/// What the window says: the line at the bottom with the job that runs, and the card of an error.
#pragma once

#include <QObject>
#include <optional>
#include <typeindex>

#include "app/window/pane.h"

class QHBoxLayout;
class QLabel;
class QProgressBar;
class QPushButton;
class QWidget;

namespace tw {

class ErrorCard;

class Notices : public QObject {
  Q_OBJECT
public:
  Notices(QWidget& window, Workbench& bench);
  /// The thin bar of a job, and the line at the bottom.
  QWidget* progress() const;
  QWidget* line() const { return line_; }
  /// The card lies over `root`, within what `area` gives.
  void build_card(QWidget* root, std::function<QRect()> area);
  void set_theme(Theme const& theme);

  /// What was wrong, until the same kind of action goes well or it is closed.
  void say(Error const& error, std::type_index action);
  /// Nothing was wrong; stays until the next command.
  void note(QString const& sentence);
  /// An action begins: what was said of others is past.
  void begin(journal::Action const& action);
  void forget_note() { noted_.clear(); }
  /// A command's own mistake is past with the next command. A full disk or a lost device is not: it
  /// stays until the same is done and goes well.
  void forget_trouble(journal::Action const& next);
  /// Another model takes the place of what went wrong.
  void forget_all() { trouble_.reset(); }
  bool has_error() const;
  /// Closes the card.
  void dismiss();
  /// What was wrong with the last command; empty: nothing.
  QString trouble() const { return trouble_ ? trouble_->sentence : QString(); }
  /// The line's words, whole.
  QString words() const { return words_; }

  /// What is new in the snapshot, or the window's width.
  void show_line();
  void show_card();
  void place_card();

private:
  QString words_now() const;

  /// What was wrong with a command.
  struct Trouble {
    std::string code;
    QString sentence;
    Fault fault = Fault::kBadInput;
    std::type_index action = typeid(void);
  };
  QWidget& window_;
  Workbench& bench_;
  std::optional<Trouble> trouble_;
  QString noted_;  ///< what it did, where that cannot be seen
  QString words_;  ///< whole, where the line cuts them
  QWidget* line_;
  QLabel* status_;
  QProgressBar* progress_;
  QPushButton* cancel_;
  QPushButton* by_rule_;  ///< where only the unscheduled nest cannot run
  ErrorCard* card_ = nullptr;
  std::function<QRect()> area_;
};

}  // namespace tw
