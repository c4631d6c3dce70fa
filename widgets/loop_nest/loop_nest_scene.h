// SPDX-License-Identifier: GPL-3.0-or-later
/// What a loop nest's view shows: the nest, what is dragged over it, and what could come next.
#pragma once

#include "engine/session/outlook.h"
#include "engine/session/preview.h"
#include "widgets/accessible/parts.h"
#include "widgets/loop_nest/loop_nest_layout.h"
#include "widgets/paint/canvas.h"
#include "widgets/selection.h"

namespace tw {

/// Something on its way with the pointer.
struct NestDrag {
  enum Kind { kNone, kPress, kMove, kSplit, kChip, kPressHead, kHead };
  Kind kind = kNone;
  QPointF press = {}, at = {};
  int loop = -1;       ///< a bar's
  int stage = -1;      ///< whose head is on its way
  int slot = -1;       ///< where a moved bar would go: index among the bars of its stage
  bool fuses = false;  ///< a bar that is dropped on its neighbour
  int64_t factor = 0;  ///< of a split under way
  QString typed = {};
  std::string line = {};              ///< what a drop would ask for
  session::StepPreview preview = {};  ///< what it would do
};

/// What is said of the step that is pointed at.
struct NestHint {
  QString words;
  bool wrong = false;
};

struct LoopNestScene {
  Canvas const& canvas;
  Selection const& selection;
  std::shared_ptr<session::NestView const> nest = {};     ///< that is drawn
  std::shared_ptr<session::NestView const> current = {};  ///< of the step that one is at
  std::shared_ptr<session::Outlook const> outlook = {};  ///< of what is pointed at; null: not there
  bool ahead = false;                                    ///< `nest` is the outlook's
  bool here = false;                                     ///< the pointer is
  std::vector<int64_t> caches = {};                      ///< bytes
  std::vector<int> refused = {};                         ///< loops
  LoopNestLayout layout = {};
  NestDrag drag = {};

  /// The best offered move that begins at a loop, where it brings something, and its mark.
  session::MoveView const* move_of(int loop) const;
  QRectF mark_of(int loop) const;
  NestItem const* mark_at(QPointF at) const;
  /// In a nest that is not there yet: this bar is another one than now.
  bool is_new(session::LoopBar const& bar) const;
  /// Empty: no step is pointed at.
  std::vector<NestHint> hint() const;
  std::vector<Part> parts() const;
};

}  // namespace tw
