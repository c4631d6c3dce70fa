// SPDX-License-Identifier: GPL-3.0-or-later
/// Below the views: which line of a journal is played, and the keys of a player.
#pragma once

#include <QString>
#include <QWidget>

class QLabel;
class QPushButton;

namespace tw {
class Chooser;

/// What the bar shows.
struct PlaybackState {
  QString title;  ///< the journal's file, without its folder
  int line = 0;   ///< that comes next, or is carried out; from 1
  int lines = 0;
  QString text;  ///< of that line
  bool playing = false;
  bool over = false;
  QString trouble;  ///< why it stopped, a sentence; empty: nothing was wrong
  double speed = 1;
  bool operator==(PlaybackState const&) const = default;
};

class PlaybackBar : public QWidget {
  Q_OBJECT
public:
  static constexpr double kSpeeds[] = {0.5, 1, 2, 4};
  explicit PlaybackBar(QWidget* parent = nullptr);
  void show_state(PlaybackState const& state);
  QString words() const;

signals:
  void play_asked();
  void step_asked();
  void close_asked();
  void speed_chosen(double speed);

protected:
  void resizeEvent(QResizeEvent*) override;

private:
  void show_words();

  PlaybackState state_;
  QLabel *place_, *words_;
  QPushButton *play_, *step_, *close_;
  Chooser* speed_;
};

}  // namespace tw
