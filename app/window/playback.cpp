// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/playback.h"

#include <QFileDialog>
#include <QFileInfo>
#include <algorithm>

#include "app/window/main_window.h"
#include "app/window/replay.h"
#include "engine/support/files.h"

namespace tw {
namespace {

constexpr double kActionPause = 1500, kExpectPause = 700;  // milliseconds at the speed 1
constexpr int kLook = 15;                                  // milliseconds between two looks
constexpr int kQuietRounds = 4;  // a snapshot may ask for a text, and a text for a paint
constexpr double kPatience = 180;

QString text_of(journal::Line const& line) {
  return QString::fromStdString(
      std::visit([](auto const& what) { return journal::to_text(what); }, line.what));
}

}  // namespace

Playback::Playback(MainWindow& window, session::Session& session, PlaybackBar& bar)
    : QObject(&window),
      window_(window),
      session_(session),
      bar_(bar),
      stage_(window_stage(window, session)) {
  timer_.setSingleShot(true);
  connect(&timer_, &QTimer::timeout, this, [this] { at_ == At::kShow ? begin_line() : look(); });
  connect(&bar, &PlaybackBar::play_asked, this, &Playback::play_or_pause);
  connect(&bar, &PlaybackBar::step_asked, this, &Playback::step);
  connect(&bar, &PlaybackBar::close_asked, this, &Playback::close);
  connect(&bar, &PlaybackBar::speed_chosen, this, &Playback::set_speed);
  window.add_dialog("play-journal", [this](QString const&) { return show_dialog(); });
  add_commands();
}

Playback::~Playback() = default;

/// A journal knows nothing of them: its lines are recorded as they are played.
void Playback::add_commands() {
  char const section[] = "Models and projects";
  window_.add_command({.section = section, .name = "Play a journal...", .run = [this] {
                         window_.ask(journal::ShowDialog{"play-journal", {}});
                       }});
  auto add = [&](QString name, QString keys, std::function<void()> run) {
    window_.add_command({.section = section,
                         .name = std::move(name),
                         .keys = std::move(keys),
                         .run =
                             [this, run] {
                               if (is_open()) run();
                             },
                         .possible = [this] { return is_open(); },
                         .copies = true});
  };
  add("Play or pause the journal", "F5", [this] { play_or_pause(); });
  add("Next line of the journal", "F6", [this] { step(); });
  add("Play the journal slower", "F7", [this] { step_speed(-1); });
  add("Play the journal faster", "F8", [this] { step_speed(1); });
  add("Close the journal that is played", "", [this] { close(); });
}

Status Playback::show_dialog() {
  auto* dialog =
      new QFileDialog(&window_, "Play a journal", {}, "Journals (*.journal);;All files (*)");
  dialog->setObjectName("playJournalDialog");
  dialog->setFileMode(QFileDialog::ExistingFile);
  connect(dialog, &QFileDialog::fileSelected, this, [this](QString const& file) {
    if (Status status = open(file); !status)
      window_.say(QString::fromStdString(to_sentence(status.error())));
  });
  window_.open(dialog);
  return {};
}

Status Playback::open(QString const& file) {
  TRY_ASSIGN(std::string text, read_text(file.toStdString(), 1 << 26));
  TRY_ASSIGN(journal_, journal::parse(text, file.toStdString()));
  start_over();
  bar_.show();
  playing_ = true;
  show_line();
  return {};
}

void Playback::start_over() {
  rest();
  trouble_.clear();
  player_ = std::make_unique<journal::Player>(journal_, *stage_);
}

void Playback::close() {
  if (looks_) return;  // it is in the middle of a line
  rest();
  player_.reset();
  bar_.hide();
}

void Playback::rest() {
  playing_ = false;
  timer_.stop();
  at_ = At::kRest;
}

void Playback::play_or_pause() {
  if (player_->at_end() && at_ == At::kRest) start_over();
  playing_ = !playing_;
  if (!playing_ && at_ == At::kShow) rest();
  if (playing_ && at_ == At::kRest) return show_line();
  update_bar();
}

void Playback::step() {
  if (player_->at_end() || at_ == At::kSettle) return;
  rest();
  begin_line();
}

void Playback::set_speed(double speed) {
  speed_ = speed;
  if (at_ == At::kShow) return show_line();
  update_bar();
}

void Playback::step_speed(int direction) {
  auto const& speeds = PlaybackBar::kSpeeds;
  auto at = std::ranges::find(speeds, speed_) - std::begin(speeds);
  at = std::clamp<std::ptrdiff_t>(at + direction, 0, std::ssize(speeds) - 1);
  set_speed(speeds[at]);
}

/// Before it is carried out: who watches reads it first.
void Playback::show_line() {
  if (player_->at_end()) {
    rest();
  } else {
    trouble_.clear();
    at_ = At::kShow;
    bool action = std::holds_alternative<journal::Action>(journal_.lines[player_->at()].what);
    timer_.start(int((action ? kActionPause : kExpectPause) / speed_));
  }
  update_bar();
}

void Playback::begin_line() {
  trouble_.clear();
  at_ = At::kSettle;
  quiet_ = 0;
  since_.start();
  player_->begin();
  timer_.start(kLook);
  update_bar();
}

/// As `settle` does, without keeping anybody waiting.
void Playback::look() {
  bool still = session_.wait_idle(0) && !window_.busy();
  quiet_ = still ? quiet_ + 1 : 0;
  if (quiet_ >= kQuietRounds) return finish_line();
  if (double(since_.elapsed()) < kPatience * 1e3) return timer_.start(kLook);
  trouble_ = QString::fromStdString(to_sentence(player_->still_busy(kPatience)));
  rest();
  update_bar();
}

void Playback::finish_line() {
  looks_ = true;
  Status status = player_->finish();
  looks_ = false;
  at_ = At::kRest;
  bool over = player_->at_end();
  if (!status) trouble_ = QString::fromStdString(to_sentence(status.error()));
  if (!status || over) rest();
  if (playing_) return show_line();
  update_bar();
  if (!status || over) emit ended(status.has_value());
}

PlaybackState Playback::state() const {
  if (!player_) return {};
  size_t lines = journal_.lines.size();
  bool over = player_->at_end() && at_ == At::kRest;
  size_t at = std::min(player_->at(), lines - std::min<size_t>(lines, 1));
  return {.title = QFileInfo(QString::fromStdString(journal_.file)).fileName(),
          .line = int(at) + 1,
          .lines = int(lines),
          .text = lines > 0 ? text_of(journal_.lines[at]) : QString(),
          .playing = playing_,
          .over = over,
          .trouble = trouble_,
          .speed = speed_};
}

void Playback::update_bar() { bar_.show_state(state()); }

}  // namespace tw
