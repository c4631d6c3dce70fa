/// A model as the session holds it: before and after the graph passes, and what runs when.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "engine/compile/plan.h"
#include "engine/graph/pipeline.h"
#include "engine/session/use_cases.h"

namespace tw::session {

/// What one pass made of the model's graph.
struct PassDone {
  std::string name;
  std::string title;      ///< what it does, a sentence
  int64_t operators = 0;  ///< in the graph after it and those inside it
  PassCounts counts;
};

class LoadedModel {
public:
  std::string name;
  std::string path;
  Graph before, after;           ///< both empty for a `.te` file
  std::vector<PassDone> passes;  ///< that led from one to the other
  Plan plan;
  std::vector<Knob> knobs;                  ///< what its layouts and algorithms were chosen from
  bool is_expression = false;               ///< a kernel without a model
  std::map<int, std::string> own;           ///< rows that the user wrote, with their texts
  std::shared_ptr<LoadedModel const> base;  ///< without the own kernels beside it; may be null

  KernelTask const& kernel(int row) const { return plan.kernels[size_t(row)]; }
};

/// The model with a kernel of the user's own at the end of its table, or in place of the one at
/// `row` (which must be one). Errors: those of the text, name_taken.
Result<Model> with_own_kernel(Model const& model, std::string const& text, int row = -1);

/// The model whose kernel at `row`, one of the user's own, shows other values of its sizes. Errors:
/// no_such_size, size_out_of_range.
Result<Model> with_size_values(Model const& model, int row,
                               std::map<std::string, int64_t> const& values);

/// Of what the kernel computes, as projects have it: layouts make others of the same name.
std::string computes_text(KernelTask const& task);

/// "x=1x3x48x192; y=2". Errors: bad_shapes.
Result<std::map<std::string, Shape>> parse_fixes(std::string const& shapes);

/// Errors: unknown_arrangement, for what is no knob, or not one of its values.
Status check_arrangement(Point const& arrangement, std::vector<Knob> const& knobs);
/// What of it is not as by rule.
Point arrangement_of(LoadedModel const& model);

/// The plain program of a kernel.
Result<ir::Program> plain_program(LoadedModel const& model, int kernel);

/// What the kernel must compute for these inputs, by the operators' plain loops, which share
/// nothing with code generation; for a tensor expression the interpreter. Empty when that would
/// take too long.
Result<std::optional<std::vector<NDArray>>> reference_outputs(LoadedModel const& model, int kernel,
                                                              std::vector<NDArray> const& inputs,
                                                              StopToken stop = {});

}  // namespace tw::session
