// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/access/access_player.h"

#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/paint/chooser.h"
#include "widgets/paint/controls.h"

namespace tw {

AccessPlayer::AccessPlayer(QWidget* parent)
    : QWidget(parent),
      strip_(new RequestStrip),
      play_(controls::button("Play", "accessPlay", "Play the loops around the access (Space)")),
      back_(controls::button(QStringLiteral("‹"), "accessBack", "Previous iteration (comma)")),
      on_(controls::button(QStringLiteral("›"), "accessOn", "Next iteration (full stop)")),
      speed_(new Chooser),
      words_(controls::label("accessTime", "secondary")) {
  setObjectName("accessPlayer");
  for (int speed : {2, 8, 30}) speed_->addItem(QString("%1 a second").arg(speed), speed);
  speed_->setCurrentIndex(1);
  speed_->setObjectName("accessSpeed");
  speed_->setAccessibleName("Iterations a second");
  for (QPushButton* button : {back_, on_}) {
    button->setProperty("quiet", true);
    button->setAccessibleName(button->toolTip());
  }
  words_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 4, 0, 4);
  column->setSpacing(2);
  column->addWidget(strip_);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(14, 0, 14, 0);
  row->setSpacing(6);
  for (QWidget* one : std::initializer_list<QWidget*>{play_, back_, on_, speed_})
    row->addWidget(one);
  row->addWidget(words_, 1);
  column->addLayout(row);
  connect(play_, &QPushButton::clicked, this, [this] { emit play_asked(!plays()); });
  connect(back_, &QPushButton::clicked, this, [this] { emit iteration_asked(at_ - 1); });
  connect(on_, &QPushButton::clicked, this, [this] { emit iteration_asked(at_ + 1); });
  connect(strip_, &RequestStrip::iteration_asked, this, &AccessPlayer::iteration_asked);
  connect(speed_, &QComboBox::activated, this, [this] { ticks_.setInterval(1000 / per_second()); });
  connect(&ticks_, &QTimer::timeout, this, [this] { tick(); });
  hide();
}

void AccessPlayer::set_theme(Theme const& theme) { strip_->set_theme(theme); }

int AccessPlayer::per_second() const { return std::max(1, speed_->currentData().toInt()); }

void AccessPlayer::show_costs(RequestStrip::Costs costs) {
  iterations_ = costs.iterations;
  setVisible(iterations_ > 1);
  strip_->show_costs(std::move(costs));
  if (iterations_ < 2) play(false);
}

void AccessPlayer::stand_at(int64_t iteration, QString const& words) {
  at_ = iteration;
  strip_->stand_at(iteration);
  back_->setEnabled(at_ > 0);
  on_->setEnabled(at_ + 1 < iterations_);
  all_words_ = words;
  words_->setToolTip(words);
  fit_words();
}

void AccessPlayer::fit_words() {
  words_->setText(words_->fontMetrics().elidedText(all_words_, Qt::ElideRight,
                                                   std::max(0, words_->width() - 2)));
}

void AccessPlayer::play(bool on) {
  if (on == plays() || (on && iterations_ < 2)) return;
  if (on)
    ticks_.start(1000 / per_second());
  else
    ticks_.stop();
  play_->setText(on ? "Pause" : "Play");
  if (on && at_ + 1 >= iterations_) emit iteration_came(0);
}

void AccessPlayer::tick() {
  if (at_ + 1 >= iterations_) return play(false);
  emit iteration_came(at_ + 1);
}

}  // namespace tw
