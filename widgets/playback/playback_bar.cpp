// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/playback/playback_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QStyle>

#include "widgets/paint/chooser.h"
namespace tw {

PlaybackBar::PlaybackBar(QWidget* parent)
    : QWidget(parent),
      place_(new QLabel),
      words_(new QLabel),
      play_(new QPushButton),
      step_(new QPushButton("Next line")),
      close_(new QPushButton("Close")),
      speed_(new Chooser) {
  setObjectName("playbackBar");
  setAttribute(Qt::WA_StyledBackground);
  place_->setObjectName("playbackPlace");
  place_->setProperty("role", "secondary");
  words_->setObjectName("playbackLine");
  words_->setProperty("mono", true);
  words_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  play_->setObjectName("playbackPlay");
  play_->setProperty("primary", true);
  step_->setObjectName("playbackStep");
  step_->setAccessibleName("Next line of the journal");
  close_->setObjectName("playbackClose");
  close_->setProperty("quiet", true);
  close_->setAccessibleName("Close the journal that is played");
  speed_->setObjectName("playbackSpeed");
  speed_->setAccessibleName("Speed of the journal");
  for (double speed : kSpeeds) speed_->addItem(QString::number(speed) + QStringLiteral("×"), speed);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(16, 6, 16, 6);
  row->setSpacing(10);
  row->addWidget(place_);
  row->addWidget(words_, 1);
  for (QWidget* one : std::initializer_list<QWidget*>{play_, step_, speed_, close_})
    row->addWidget(one);
  connect(play_, &QPushButton::clicked, this, &PlaybackBar::play_asked);
  connect(step_, &QPushButton::clicked, this, &PlaybackBar::step_asked);
  connect(close_, &QPushButton::clicked, this, &PlaybackBar::close_asked);
  connect(speed_, &Chooser::activated, this,
          [this](int index) { emit speed_chosen(speed_->itemData(index).toDouble()); });
  hide();
}

void PlaybackBar::show_state(PlaybackState const& state) {
  state_ = state;
  place_->setText(state.over
                      ? QString("%1 · %2 lines played").arg(state.title).arg(state.lines)
                      : QString("%1 · %2 of %3").arg(state.title).arg(state.line).arg(state.lines));
  play_->setText(state.playing ? "Pause" : state.over ? "Play again" : "Play");
  play_->setAccessibleName(state.playing ? "Pause the journal" : "Play the journal");
  step_->setEnabled(!state.over && !state.playing);
  speed_->setCurrentIndex(speed_->findData(state.speed));
  layout()->activate();  // the line has what the others leave
  show_words();
}

void PlaybackBar::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  show_words();
}

QString PlaybackBar::words() const {
  return state_.trouble.isEmpty() ? state_.text : state_.trouble;
}

/// Cut for its room; the tool tip has all of it.
void PlaybackBar::show_words() {
  QFontMetrics metrics(words_->font());
  words_->setText(metrics.elidedText(words(), Qt::ElideRight, words_->width()));
  words_->setToolTip(words());
  words_->setAccessibleName(words());
}

}  // namespace tw
