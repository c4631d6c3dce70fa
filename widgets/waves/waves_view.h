// SPDX-License-Identifier: GPL-3.0-or-later
/// How the blocks of a launch fill a GPU: waves over the multiprocessors, occupancy as a function
/// of block size and registers, and what limits it.
#pragma once

#include <QComboBox>
#include <QLabel>
#include <memory>

#include "widgets/waves/limits_table.h"
#include "widgets/waves/occupancy_map.h"
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
  bool knows_occupancy() const { return state_ && state_->kernel.no_occupancy.empty(); }
  Waves const& waves() const { return picture_->waves(); }
  bool choose(int launch);
  QComboBox* chooser() { return chooser_; }

signals:
  void launch_asked(int launch);

protected:
  void resizeEvent(QResizeEvent*) override;

private:
  void refresh();

  State state_;
  int chosen_ = 0;
  QLabel* sentence_;
  QComboBox* chooser_;
  QWidget* pictures_;
  WavesPicture* picture_;
  OccupancyMap* map_;
  LimitsTable* limits_;
};

}  // namespace tw
