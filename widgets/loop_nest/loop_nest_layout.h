// SPDX-License-Identifier: GPL-3.0-or-later
/// Where the bars of a loop nest stand, with heads of stages, barriers and memories, in units.
#pragma once

#include <QRectF>
#include <QString>
#include <memory>
#include <vector>

#include "engine/session/values.h"

namespace tw {

/// A bar, or the head of a stage.
struct NestItem {
  session::LoopBar const* bar = nullptr;  ///< null: the head of a stage
  session::StageCard const* stage = nullptr;
  QRectF rect;
};
/// What stands between and below the bars: barriers, and memories with their tensors.
struct NestNote {
  session::BarrierLine const* barrier = nullptr;
  session::MemoryCard const* memory = nullptr;
  QRectF rect;
};

struct LoopNestLayout {
  std::shared_ptr<session::NestView const> nest = {};
  std::vector<NestItem> items = {};
  std::vector<NestNote> notes = {};
  double footprint_left = 0;
  QSizeF least = {};  ///< that all bars can be seen in

  NestItem const* item_at(QPointF at) const;  ///< a bar
  NestItem const* head_at(QPointF at) const;
  NestItem const* item_of(int loop) const;
  /// At the right end of a bar: it is pulled to split it.
  QRectF handle_of(int loop) const;
  QSizeF size() const;

  /// The bars of one stage, outermost first: the order that a reorder names.
  std::vector<session::LoopBar const*> chain_of(NestItem const& member) const;
  int slot_of(NestItem const& member) const;
  /// Above the first bar of its stage is the first place, below the last one the last; -1: none.
  int slot_beyond(NestItem const& member, double y) const;
  /// The script line that puts a bar at another place of its stage; loops between keep their order.
  QString reorder_line(NestItem const& moved, int slot) const;
};

/// `nest`: null: nothing. `width`: of the view.
LoopNestLayout lay_out_nest(std::shared_ptr<session::NestView const> nest, double width);

}  // namespace tw
