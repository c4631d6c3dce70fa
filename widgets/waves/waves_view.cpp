// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/waves/waves_view.h"

#include <QBoxLayout>
#include <QSignalBlocker>
#include <algorithm>

#include "widgets/paint/controls.h"
#include "widgets/paint/paint.h"

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
      fill_(new WaveFill),
      map_(new OccupancyMap),
      shared_row_(new QWidget),
      shared_(new QSlider(Qt::Horizontal)),
      shared_words_(new QLabel),
      as_is_(controls::button("As it is", "wavesAsIs", "Back to what the launch takes (Esc)")),
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
  auto* left = new QVBoxLayout;
  left->setSpacing(0);
  left->addWidget(picture_, 1);
  left->addWidget(fill_);
  pair->addLayout(left, 3);
  auto* right = new QVBoxLayout;
  right->setSpacing(0);
  right->addWidget(map_, 1);
  right->addWidget(shared_row_);
  pair->addLayout(right, 2);
  shared_->setObjectName("wavesShared");
  shared_->setAccessibleName("Shared memory of a block, in KB");
  shared_words_->setProperty("role", "secondary");
  shared_words_->setObjectName("wavesSharedWords");
  auto* row = new QHBoxLayout(shared_row_);
  row->setContentsMargins(14, 0, 14, 4);
  row->addWidget(shared_words_);
  row->addWidget(shared_, 1);
  row->addWidget(as_is_);
  rows->addWidget(pictures_, 1);
  rows->addWidget(limits_);
  watch();
  show_words("Select a kernel to see how its blocks fill the GPU.");
}

/// What is dragged is shown at once; where it is left is asked for.
void WavesView::watch() {
  connect(chooser_, &QComboBox::activated, this, &WavesView::launch_asked);
  connect(map_, &OccupancyMap::dragged, this, [this](int threads, int registers) {
    show_what_if(gpu::KernelUse{registers, shared_bytes(), threads});
  });
  connect(map_, &OccupancyMap::dropped, this, [this](int threads, int registers) {
    emit what_if_asked(threads, registers, shared_bytes());
  });
  connect(map_, &OccupancyMap::left_as_is, this, &WavesView::as_is_asked);
  connect(as_is_, &QPushButton::clicked, this, &WavesView::as_is_asked);
  connect(shared_, &QSlider::valueChanged, this, [this](int kilobytes) {
    if (!launch()) return;
    gpu::KernelUse use = what_if_.value_or(launch()->use());
    if (!what_if_ && !launch()->registers) use.registers = 4 * OccupancyMap::kRegisterStep;
    use.shared_bytes = int64_t(kilobytes) << 10;
    show_what_if(use);
    if (!shared_->isSliderDown()) emit what_if_asked(use.threads, use.registers, use.shared_bytes);
  });
  connect(shared_, &QSlider::sliderReleased, this, [this] {
    if (what_if_)
      emit what_if_asked(what_if_->threads, what_if_->registers, what_if_->shared_bytes);
  });
}

int64_t WavesView::shared_bytes() const {
  return what_if_ ? what_if_->shared_bytes : launch() ? launch()->shared_bytes : 0;
}

bool WavesView::show_what_if(std::optional<gpu::KernelUse> use) {
  if (use) {
    if (!launch() || !knows_occupancy()) return false;
    gpu::Multiprocessor const& unit = state_->kernel.unit;
    if (use->threads < 1 || use->threads > unit.max_threads || use->registers < 1 ||
        use->registers > 256 || use->shared_bytes < 0 || use->shared_bytes > unit.shared_per_block)
      return false;
  }
  what_if_ = use;
  refresh();
  return true;
}

LaunchReport WavesView::pictured() const {
  LaunchReport now;
  if (!launch()) return now;
  now = *launch();
  if (!what_if_) return now;
  int64_t threads = now.blocks() * now.threads();
  now.accesses.clear();
  now.registers = std::min(what_if_->registers, state_->kernel.unit.registers_per_thread);
  now.shared_bytes = what_if_->shared_bytes;
  now.grid = {(threads + what_if_->threads - 1) / what_if_->threads, 1, 1};
  now.block = {what_if_->threads, 1, 1};
  return now;
}

void WavesView::set_theme(Theme const& theme) {
  for (Canvas* canvas : std::initializer_list<Canvas*>{picture_, fill_, map_, limits_})
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
             ? gpu::occupancy(state_->kernel.unit, pictured().use())
             : gpu::Occupancy();
}

void WavesView::show_state(State state) {
  if (!state->failure.empty()) return show_words(QString::fromStdString(state->failure));
  LaunchReport const* before = launch();
  gpu::KernelUse former = before ? before->use() : gpu::KernelUse();
  state_ = std::move(state);
  auto const& launches = state_->kernel.launches;
  if (size_t(chosen_) >= launches.size()) chosen_ = 0;
  QSignalBlocker quiet(chooser_);
  chooser_->clear();
  for (size_t i = 0; i < launches.size(); ++i) chooser_->addItem(title_of(launches[i], i));
  chooser_->setCurrentIndex(chosen_);
  if (!launch() || launch()->threads() != former.threads ||
      launch()->shared_bytes != former.shared_bytes)
    what_if_.reset();  // it was about another launch
  refresh();
}

bool WavesView::choose(int launch) {
  if (!state_ || launch < 0 || size_t(launch) >= state_->kernel.launches.size()) return false;
  chosen_ = launch;
  what_if_.reset();
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
  LaunchReport const seen = known ? pictured() : *now;
  QString words = QString::fromStdString(session::waves_sentence(state_->kernel, seen));
  if (known && what_if_)
    words = QString("What if %1 threads took %2 registers each: ")
                .arg(what_if_->threads)
                .arg(*seen.registers) +
            words;
  sentence_->setText(words);
  if (!known) return;
  picture_->show_launch(seen, occupancy(), state_->kernel.units);
  fill_->show_launch(seen.blocks(), occupancy(), state_->kernel.units);
  map_->show_launch(*now, state_->kernel.unit);
  map_->show_other(what_if_);
  limits_->show_launch(seen, state_->kernel.unit);
  refresh_shared();
}

void WavesView::refresh_shared() {
  QSignalBlocker quiet(shared_);
  shared_->setRange(0, int(state_->kernel.unit.shared_per_block >> 10));
  if (!shared_->isSliderDown()) shared_->setValue(int((shared_bytes() + 1023) >> 10));
  shared_words_->setText("Shared memory of a block: " + paint::bytes(shared_bytes()));
  as_is_->setEnabled(what_if_.has_value());
}

/// Where there is no room beside it, the map stands below.
void WavesView::resizeEvent(QResizeEvent*) {
  auto* pair = static_cast<QBoxLayout*>(pictures_->layout());
  bool wide = width() >= kSideBySide * picture_->unit();
  pair->setDirection(wide ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
}

}  // namespace tw
