// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What a journal's lines do with the graph.
#pragma once

#include <string>

namespace tw::journal {

struct ChooseGraph {
  std::string form;  ///< "before" or "after" fusion, or "both"
};
/// Marks a node, or a group by its key, and what stands for it on the other side of fusion.
struct ChooseInGraph {
  std::string form;  ///< "before" or "after": where it is
  std::string name;  ///< a node's name, "#3" by number, or a group's key
};
/// Scale, and where the graph's corner stands in the view, in logical pixels.
struct LookAtGraph {
  double scale = 1, x = 0, y = 0;
};
struct FitGraph {};
struct OverlayGraph {
  std::string quantity;  ///< "none", "time", "bytes", "intensity" or "coverage"
};
/// A group by its key; empty: all of them.
struct FoldGraph {
  std::string group;
};
struct UnfoldGraph {
  std::string group;
};
/// What was shown before it stays.
struct CancelLayout {};
/// What was cancelled.
struct LayOutGraph {};
/// Why two nodes were not fused, or (`to` empty) why one joined; nodes by name, or "#3" by number.
struct ExplainFusion {
  std::string from, to;
};
struct FindInGraph {
  /// Words that a node's name or operator contains, or a tensor's name; empty: ends it.
  std::string text;
};
/// Whether all that was not found is dimmed.
struct OnlyMatches {
  std::string on;  ///< "on" or "off"
};
struct StepMatch {
  std::string direction;  ///< "next" or "previous"; "current": the one that is shown
};

/// Marks the blocks that are built like this one, by its key; empty: the chosen one.
struct BlocksLike {
  std::string group;
};
struct StepBlock {
  std::string direction;  ///< "next" or "previous" of them; "end": they are marked no more
};

}  // namespace tw::journal
