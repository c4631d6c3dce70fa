/// A model of few operators compiled as the product compiles it, and loaded into this process: the
/// passes and schedules are the defaults, whatever they are by now.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/imported/imported_model.h"

namespace tw::bench {

struct CompiledKernel {
  std::string name;
  std::string operators;  ///< "pad conv2d"
  std::string script;     ///< of its schedule
  /// It computes nothing and only changes layouts (within a network its neighbours would share the
  /// layout and it would not run), or it is a neighbour of what is measured.
  bool is_border = false;
};

class CompiledModel {
public:
  /// `measured`: the node whose kernels count, the others are their neighbours; empty: all.
  /// `script`: of the kernel with the most work, in the place of the schedule by rule; empty: none.
  /// Errors: those of the compiler; no_kernel when a part has none; those of the script.
  static Result<CompiledModel> create(ImportedModel const& model, Backend const& backend,
                                      CodeTier tier, std::string const& measured = "",
                                      std::string const& script = "");
  CompiledModel(CompiledModel&&) noexcept;
  ~CompiledModel();

  /// `inputs` in the model's order, of its shapes; they are not copied.
  void set_inputs(std::vector<NDArray> const& inputs);
  /// Every tensor that a kernel is to fill becomes NaN.
  void poison();
  /// All kernels, from plain inputs to plain outputs. Returns 0 or a kernel's code.
  int32_t run() const;
  /// Those that compute. `run` must have been called before: it fills what they read.
  int32_t run_core() const;
  NDArray const& output() const;

  std::vector<CompiledKernel> const& kernels() const;
  /// The one that counts: with the most work of those that are measured.
  CompiledKernel const& largest() const;
  bool has_border() const;
  double compile_seconds() const;  ///< from the model to what is measured

private:
  struct Parts;
  explicit CompiledModel(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace tw::bench
