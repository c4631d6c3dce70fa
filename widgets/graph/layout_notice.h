// SPDX-License-Identifier: GPL-3.0-or-later
/// Over a graph: that it is being laid out, once that takes long, and a way to stop it; or that it
/// was stopped, and a way to begin again.
#pragma once

#include <QTimer>
#include <QWidget>

#include "widgets/theme/theme.h"

class QLabel;
class QPushButton;

namespace tw {

class LayoutRun;

class LayoutNotice : public QWidget {
  Q_OBJECT
public:
  /// What takes less time says nothing.
  static constexpr int kPatienceMs = 1500;

  LayoutNotice(LayoutRun const& run, QWidget* parent);
  void set_theme(Theme const& theme);
  void set_patience(int ms) { patience_ms_ = ms; }
  /// A layout of so many nodes has begun, or another one in its place.
  void wait_for(qsizetype nodes);
  void say_cancelled(QString const& sentence);
  /// It is laid out, or there is nothing to lay out.
  void end();
  /// Of all that it says; empty: nothing.
  QString words() const;
  bool offers_to_begin() const { return state_ == State::kCancelled; }

signals:
  void cancel_asked();
  void begin_asked();
  /// Its words are others, and so is its size.
  void changed();

protected:
  void paintEvent(QPaintEvent*) override;

private:
  enum class State : unsigned char { kNothing, kWaits, kCancelled };
  void show_progress();
  void say(QString const& words, QString const& button);

  LayoutRun const& run_;
  QLabel* words_;
  QPushButton* button_;
  QTimer timer_;
  State state_ = State::kNothing;
  qsizetype nodes_ = 0;
  int patience_ms_ = kPatienceMs;
};

}  // namespace tw
