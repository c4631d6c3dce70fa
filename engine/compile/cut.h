/// A plan that runs at several places: a device and its target each.
#pragma once

#include <string>
#include <vector>

#include "engine/compile/plan.h"

namespace tw {

/// From the step of `node` on, in the order of the plan, steps run at `place`. A node that was
/// fused into a kernel stands for the kernel, a kernel's name for the first step that runs it;
/// "#12" is the node of that number. Of two points at one step the later one counts.
struct CutPoint {
  std::string node;
  std::string place;
};

/// Before the first point everything runs at the first place, which also has the model's inputs and
/// outputs and runs whatever is no kernel.
struct Cut {
  std::vector<std::string> places;  ///< names of devices, each once
  std::vector<CutPoint> points;
};

/// "NODE@PLACE": what one point is on a command line. `first`: the place of all before. Errors:
/// bad_cut.
Result<Cut> parse_cut(std::vector<std::string> const& points, std::string const& first);

/// The cut with another point, which takes the place of the one at its step. Points that change
/// nothing are left out of the result and its points stand in the order of the plan. Errors:
/// unknown_node.
Result<Cut> with_point(Graph const& graph, Plan const& plan, Cut const& cut, CutPoint const& point);
/// The number of the group where each point begins. Errors: unknown_node.
Result<std::vector<int>> first_groups(Graph const& graph, Plan const& plan, Cut const& cut);
/// The cut with the point at the step of `from` at that of `to`, tidied in the same way. Errors:
/// unknown_node, no_cut_there.
Result<Cut> with_point_moved(Graph const& graph, Plan const& plan, Cut const& cut,
                             std::string const& from, std::string const& to);

/// The plan of one place cut into several: each kernel step gets its place, values that another
/// place needs are copied there, once, and each place has an arena. A kernel that runs at two
/// places becomes two, as each is compiled for its own target. Errors: unknown_node (with the names
/// that are there), unknown_shape (of a value that would have to be copied).
Result<Plan> cut_plan(Graph const& graph, Plan const& plan, Cut const& cut);

}  // namespace tw
