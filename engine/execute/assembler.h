/// How a package is put together, graph by graph. For assemble.cpp and assemble_control.cpp only.
#pragma once

#include <map>
#include <optional>
#include <set>

#include "engine/execute/assemble.h"

namespace tw {

/// A graph while its steps are written. Graphs inside lie in the arena above those around them.
struct Scope {
  Graph const& graph;
  int site = 0;  ///< the place of the step that is written
  std::map<std::pair<int, ValueId>, package::Buffer> known;
  std::vector<int64_t> tops;  ///< bytes of each place's arena that this graph and those around use

  bool has(ValueId id) const { return known.contains({site, id}); }
  package::Buffer& at(ValueId id) { return known[{site, id}]; }
  int64_t& top() { return tops[size_t(site)]; }
};

class Assembler {
public:
  Assembler(PackageSource const& source, std::vector<KernelCode> const& codes,
            CallOptions const& call)
      : source_(source), codes_(codes), call_(call) {}

  Result<Assembly> run();

private:
  package::Description& whole() { return result_.description; }
  package::Site& site(int place) {
    return place == 0 ? whole() : whole().elsewhere[size_t(place - 1)];
  }
  Result<package::Tensor> tensor_of(ValueId id);
  Status place_tensors(Scope& scope);
  void place_allocations(Scope& scope, MemoryPlan const& memory);
  package::Buffer reserve(Scope& scope, int64_t bytes);
  package::Buffer add_parameter(NDArray const& content);
  /// Where a value that was made lies.
  Result<package::Buffer> place_of(Scope& scope, ValueId id);
  /// The same for one that a step makes: it gets a place where it has none.
  Result<package::Buffer> target_of(Scope& scope, ValueId id);
  /// `place_of` with the tensor's own number of bytes.
  Result<package::Buffer> exactly(Scope& scope, ValueId id);
  Result<std::vector<package::Step>> steps_of(Scope& scope, BodyPlan const& plan);
  Result<package::Step> copy_step(Scope& scope, PlanStep const& step);
  Result<package::Step> kernel_step(Scope& scope, PlanStep const& step);
  Status add_made(Scope& scope, PlanStep const& step, package::Step& added);
  Status describe_kernel(int row);

  // Control flow.
  Result<package::Step> control_step(Scope& scope, PlanStep const& step);
  Result<Scope> scope_of_body(Scope& outer, PlanStep const& step, size_t body);
  Result<package::Step> if_step(Scope& scope, PlanStep const& step);
  Result<package::Body> branch(Scope& scope, PlanStep const& step, size_t body);
  Result<package::Step> loop_step(Scope& scope, PlanStep const& step);
  Result<package::Step> scan_step(Scope& scope, PlanStep const& step);
  Result<package::Copy> begin_state(Scope& outer, Scope& inner, ValueId from, ValueId state);
  /// From a round to the next: output `first_output + i` of the body is its input `first_input +
  /// i`.
  Result<std::vector<package::Copy>> carry(Scope& inner, size_t first_input, size_t first_output,
                                           size_t count);

  PackageSource const& source_;
  std::vector<KernelCode> const& codes_;
  CallOptions const& call_;
  Assembly result_;
  std::map<void const*, package::Buffer> contents_;  ///< of parameters, by where they lie here
  using MadeKey = std::tuple<Graph const*, int, std::vector<ValueId>>;
  std::map<MadeKey, std::vector<package::Buffer>> made_;
};

/// The tensors that `step`'s kernel, `code`, takes besides its inputs, in the order of its `made`.
/// `graph`: the one that the step is of.
Result<std::vector<NDArray>> made_arrays(PackageSource const& source, Graph const& graph,
                                         PlanStep const& step, KernelCode const& code,
                                         CallOptions const& call);

/// The value's bytes. Errors: unknown_shape.
Result<int64_t> bytes_of(Value const& value);
/// What keeps a control step from being written; empty: nothing. Its bodies' steps are not looked
/// at.
std::string control_obstacle(Graph const& graph, PlanStep const& step);

}  // namespace tw
