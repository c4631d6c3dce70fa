// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/waves/waves_view.h"

#include <QBoxLayout>
#include <QSignalBlocker>

namespace tw {
namespace {

constexpr int kSideBySide = 700;  // units

QString title_of(LaunchReport const& launch, size_t number) {
  return QString("Launch %1: %2 blocks of %3 threads")
      .arg(number + 1)
      .arg(launch.blocks())
      .arg(launch.threads());
}

}  // namespace

WavesView::WavesView(QWidget* parent)
    : QWidget(parent),
      sentence_(new QLabel),
      chooser_(new QComboBox),
      pictures_(new QWidget),
      picture_(new WavesPicture),
      map_(new OccupancyMap),
      limits_(new LimitsTable) {
  setObjectName("wavesView");
  sentence_->setObjectName("wavesSentence");
  sentence_->setWordWrap(true);
  sentence_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  sentence_->setContentsMargins(14, 8, 14, 6);
  sentence_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  chooser_->setObjectName("wavesLaunch");
  chooser_->setAccessibleName("Launch");
  auto* rows = new QVBoxLayout(this);
  rows->setContentsMargins(0, 0, 0, 0);
  rows->setSpacing(0);
  rows->addWidget(sentence_);
  rows->addWidget(chooser_, 0, Qt::AlignLeft);
  auto* pair = new QBoxLayout(QBoxLayout::LeftToRight, pictures_);
  pair->setContentsMargins(0, 0, 0, 0);
  pair->setSpacing(0);
  pair->addWidget(picture_, 3);
  pair->addWidget(map_, 2);
  rows->addWidget(pictures_, 1);
  rows->addWidget(limits_);
  connect(chooser_, &QComboBox::activated, this, &WavesView::launch_asked);
  show_words("Select a kernel to see how its blocks fill the GPU.");
}

void WavesView::set_theme(Theme const& theme) {
  for (Canvas* canvas : std::initializer_list<Canvas*>{picture_, map_, limits_})
    canvas->set_theme(theme);
  sentence_->setFont(ui_font(13 * theme.scale, 600));
}

void WavesView::show_words(QString const& words) {
  state_ = nullptr;
  sentence_->setText(words);
  refresh();
}

LaunchReport const* WavesView::launch() const {
  if (!state_ || size_t(chosen_) >= state_->kernel.launches.size()) return nullptr;
  return &state_->kernel.launches[size_t(chosen_)];
}

gpu::Occupancy WavesView::occupancy() const {
  return launch() && state_->kernel.no_occupancy.empty()
             ? gpu::occupancy(state_->kernel.unit, launch()->use())
             : gpu::Occupancy();
}

void WavesView::show_state(State state) {
  if (!state->failure.empty()) return show_words(QString::fromStdString(state->failure));
  state_ = std::move(state);
  auto const& launches = state_->kernel.launches;
  if (size_t(chosen_) >= launches.size()) chosen_ = 0;
  QSignalBlocker quiet(chooser_);
  chooser_->clear();
  for (size_t i = 0; i < launches.size(); ++i) chooser_->addItem(title_of(launches[i], i));
  chooser_->setCurrentIndex(chosen_);
  refresh();
}

bool WavesView::choose(int launch) {
  if (!state_ || launch < 0 || size_t(launch) >= state_->kernel.launches.size()) return false;
  chosen_ = launch;
  QSignalBlocker quiet(chooser_);
  chooser_->setCurrentIndex(launch);
  refresh();
  return true;
}

void WavesView::refresh() {
  LaunchReport const* now = launch();
  chooser_->setVisible(state_ && state_->kernel.launches.size() > 1);
  bool known = now && state_->kernel.no_occupancy.empty();
  pictures_->setVisible(known);
  limits_->setVisible(known);
  if (!now) return;
  sentence_->setText(QString::fromStdString(session::waves_sentence(state_->kernel, *now)));
  if (!known) return;
  picture_->show_launch(*now, occupancy(), state_->kernel.units);
  map_->show_launch(*now, state_->kernel.unit);
  limits_->show_launch(*now, state_->kernel.unit);
}

/// Where there is no room beside it, the map stands below.
void WavesView::resizeEvent(QResizeEvent*) {
  auto* pair = static_cast<QBoxLayout*>(pictures_->layout());
  bool wide = width() >= kSideBySide * picture_->unit();
  pair->setDirection(wide ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
}

}  // namespace tw
