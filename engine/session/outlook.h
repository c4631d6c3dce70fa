/// Where a line would lead, while it is only pointed at: of a drag, a move in a list, a dialog.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/session/values.h"

namespace tw::session {

struct Outlook {
  std::string line;
  std::shared_ptr<RefusalView const> refusal;  ///< null: it is legal; else nothing below is there
  std::shared_ptr<NestView const> nest;        ///< after it
  std::shared_ptr<CodeText const> program;     ///< after it, changes to what it is now marked
  std::optional<RooflinePoint> point;          ///< modelled; empty: the roofs are not known
  double now_ms = 0;                           ///< modelled, of the kernel as it is; 0: not known
  std::string bound;                           ///< what would take longest: "arithmetic", "L2"
  double gain() const { return point && point->model_ms > 0 ? now_ms / point->model_ms : 0; }
  /// "1.8x as fast, modelled: 3.2 ms, bottleneck: L2", "H is computed 6 times over", or both;
  /// empty: nothing is known.
  std::string words;
};

}  // namespace tw::session
