// SPDX-License-Identifier: GPL-3.0-or-later
/// How the blocks of a launch fill a GPU: waves over the multiprocessors, occupancy as a function
/// of block size and registers, and what limits it.
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSlider>
#include <memory>

#include "widgets/waves/limits_table.h"
#include "widgets/waves/occupancy_map.h"
#include "widgets/waves/wave_fill.h"
#include "widgets/waves/waves_picture.h"

namespace tw {

class WavesView : public QWidget {
  Q_OBJECT
public:
  using State = std::shared_ptr<session::LaunchesView const>;
  explicit WavesView(QWidget* parent = nullptr);
  void set_theme(Theme const& theme);
  void show_state(State state);
  /// A sentence instead.
  void show_words(QString const& words);
  /// Null: nothing is shown.
  LaunchReport const* launch() const;
  gpu::Occupancy occupancy() const;
  /// What the pictures are of: the launch, or what it would be with the same number of threads in
  /// other blocks.
  LaunchReport pictured() const;
  std::optional<gpu::KernelUse> const& what_if() const { return what_if_; }
  /// False: no block can be like that, or none is shown. Nothing: as it is.
  bool show_what_if(std::optional<gpu::KernelUse> use);
  OccupancyMap* map() { return map_; }
  bool knows_occupancy() const { return state_ && state_->kernel.no_occupancy.empty(); }
  Waves const& waves() const { return picture_->waves(); }
  bool choose(int launch);
  QComboBox* chooser() { return chooser_; }

signals:
  void launch_asked(int launch);
  void what_if_asked(int threads, int registers, qint64 shared_bytes);
  void as_is_asked();

protected:
  void resizeEvent(QResizeEvent*) override;

private:
  void refresh();
  void refresh_shared();
  void watch();
  int64_t shared_bytes() const;

  State state_;
  int chosen_ = 0;
  std::optional<gpu::KernelUse> what_if_;
  QLabel* sentence_;
  QComboBox* chooser_;
  QWidget* pictures_;
  WavesPicture* picture_;
  WaveFill* fill_;
  OccupancyMap* map_;
  QWidget* shared_row_;
  QSlider* shared_;
  QLabel* shared_words_;
  QPushButton* as_is_;
  LimitsTable* limits_;
};

}  // namespace tw
