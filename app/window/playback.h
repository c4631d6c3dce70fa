// SPDX-License-Identifier: GPL-3.0-or-later
/// Plays a journal in a window so that one can follow it: line after line at a speed, or one line
/// at a time. Who watches can pause, try something, and go on.
#pragma once

#include <QElapsedTimer>
#include <QTimer>
#include <memory>

#include "app/shared/journal/player.h"
#include "widgets/playback/playback_bar.h"

namespace tw {

class MainWindow;

class Playback : public QObject {
  Q_OBJECT
public:
  /// `bar` is the window's.
  Playback(MainWindow& window, session::Session& session, PlaybackBar& bar);
  ~Playback() override;

  /// Shows the journal and begins to play it. Errors: those of reading it.
  Status open(QString const& file);
  void close();
  bool is_open() const { return player_ != nullptr; }
  PlaybackState state() const;

  void play_or_pause();
  /// Plays the next line, and stops before the one after it.
  void step();
  void set_speed(double speed);
  /// 1: the next faster one, -1: slower.
  void step_speed(int direction);

signals:
  void ended(bool well);

private:
  enum class At : uint8_t {
    kRest,   ///< until somebody asks for a line
    kShow,   ///< the line is shown, so that it can be read
    kSettle  ///< it was carried out, and the window is at work
  };
  void add_commands();
  Status show_dialog();
  void start_over();
  void rest();
  void show_line();
  void begin_line();
  void look();
  void finish_line();
  void update_bar();

  MainWindow& window_;
  session::Session& session_;
  PlaybackBar& bar_;
  std::unique_ptr<journal::Stage> stage_;
  std::unique_ptr<journal::Player> player_;
  journal::Journal journal_;
  QTimer timer_;
  QElapsedTimer since_;  ///< the line was carried out
  At at_ = At::kRest;
  bool playing_ = false;
  bool looks_ = false;  ///< at a fact, which may let events happen
  int quiet_ = 0;       ///< rounds in which nothing was at work
  double speed_ = 1;
  QString trouble_;
};

}  // namespace tw
