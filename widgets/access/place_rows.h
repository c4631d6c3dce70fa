// SPDX-License-Identifier: GPL-3.0-or-later
/// Where the warp stands: its number in the block, and an iteration of each loop that its addresses
/// depend on, each on a slider.
#pragma once

#include <QLabel>
#include <QSlider>
#include <QWidget>
#include <vector>

#include "engine/session/launches.h"
#include "widgets/theme/theme.h"

class QGridLayout;

namespace tw {

class PlaceRows : public QWidget {
  Q_OBJECT
public:
  explicit PlaceRows(QWidget* parent = nullptr);
  /// Everything at its begin again where the loops are other ones.
  void show_place(int warps, std::vector<AccessLoop> const& loops);
  int warp() const { return warp_; }
  std::vector<int64_t> const& at() const { return at_; }
  /// "warp" or a loop's name. False: there is none of that name, or no such iteration.
  bool put(std::string const& name, int64_t value);
  /// Iterations of the loops that are none of blocks, the innermost the fastest.
  int64_t iterations() const;
  int64_t iteration() const;
  /// Where the loops are in that iteration.
  std::vector<int64_t> at_iteration(int64_t iteration) const;
  /// False: there is no such iteration.
  bool go_to(int64_t iteration);
  /// "k0 3, k1 5"
  QString words() const;

signals:
  void moved(QString const& name, qint64 value);

private:
  struct Row {
    std::string name;
    int64_t extent = 1;
    QSlider* slider = nullptr;
    QLabel* value = nullptr;
  };
  void build();
  void add_row(std::string const& name, QString const& words, int64_t extent);

  QGridLayout* grid_;
  std::vector<Row> rows_;
  std::vector<AccessLoop> loops_;
  std::vector<int64_t> at_;
  int warps_ = 0, warp_ = 0;
};

}  // namespace tw
