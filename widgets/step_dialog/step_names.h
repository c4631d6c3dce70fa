// SPDX-License-Identifier: GPL-3.0-or-later
/// The names that a step may have as its targets and arguments.
#pragma once

#include <QStringList>
#include <algorithm>
#include <vector>

#include "engine/session/values.h"

namespace tw {

struct StepNames {
  QStringList loops;             ///< "conv2d.o.0", in program order
  std::vector<int64_t> extents;  ///< of the loops
  QStringList blocks;
  std::vector<session::TensorCard> tensors;

  static StepNames of(session::NestView const& nest) {
    StepNames names;
    for (session::LoopBar const& bar : nest.bars) {
      names.loops << QString::fromStdString(bar.reference);
      names.extents.push_back(bar.extent);
    }
    for (session::StageCard const& stage : nest.stages)
      names.blocks << QString::fromStdString(stage.name);
    names.tensors = nest.tensors;
    return names;
  }
  /// Those that a block reads, in the order of its text.
  std::vector<session::TensorCard> read_by(QString const& block) const {
    std::vector<session::TensorCard> read;
    for (session::TensorCard const& tensor : tensors)
      if (std::ranges::find(tensor.readers, block.toStdString()) != tensor.readers.end())
        read.push_back(tensor);
    return read;
  }
};

}  // namespace tw
