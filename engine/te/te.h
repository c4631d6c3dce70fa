/// Tensor expressions: what is computed, without any order. A kernel is a list of stages, each one
/// tensor defined element by element; lowering makes one loop nest per stage.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/ir/program.h"

namespace tw::te {

using ir::Buffer;
using ir::Expr;

/// An axis of a stage. Its variable appears in the stage's body by name.
struct Axis {
  std::string name;
  int64_t extent = 1;
  std::string
      role;  ///< "batch", "out_channel", "height", "width", "in_channel", "kernel_height", ...
  /// An open extent as a text of the sizes, "n" or "n + 2"; `extent` is then what is shown. Empty:
  /// a constant.
  std::string size = {};
  Expr var() const { return ir::var(name); }
};

/// An extent that is chosen when the kernel is called, and the value that is shown of it.
struct Size {
  ir::SizeParam range;
  int64_t shown = 1;
};

enum class Combiner : uint8_t { kNone, kSum, kProd, kMax, kMin };

/// A recurrence: the first axis is ordered, and the body may read `output` at smaller values of it.
/// A stage that joins belongs to the recurrence of the stage before it and has the same first axis:
/// at each value of it the stages are computed one after the other, and each may read all of them
/// at smaller values, and those before it at the same value.
enum class Scan : uint8_t { kNone, kBegins, kJoins };

/// output[axes...] = body, or combiner over `reduce` of body.
struct Stage {
  Buffer output;
  std::vector<Axis> axes;
  std::vector<Axis> reduce;
  Combiner combiner = Combiner::kNone;
  Scan scan = Scan::kNone;
  Expr body;
  std::string op;  ///< operator mark: "conv2d", "relu", ...
  bool ordered() const { return scan != Scan::kNone; }
};

/// Immutable by convention.
struct Kernel {
  std::string name;
  std::vector<Buffer> inputs;
  std::vector<Stage> stages;    ///< producers before consumers
  std::vector<Buffer> outputs;  ///< buffers of some of the stages
  std::vector<Size> sizes = {};
};

// ---- building ----------------------------------------------------------------------------

/// Convenience for operators: axes named after `names` with the given extents.
std::vector<Axis> axes(std::vector<std::string> const& names, std::vector<int64_t> const& extents,
                       std::vector<std::string> const& roles = {});
std::vector<Expr> vars(std::vector<Axis> const& axes);
/// One stage; its output buffer is named `name` and typed as the body.
Stage compute(std::string name, std::vector<Axis> axes, Expr body, std::string op = {});
Stage reduce(std::string name, std::vector<Axis> axes, Combiner combiner, std::vector<Axis> over,
             Expr body, std::string op = {});

// ---- uses --------------------------------------------------------------------------------

/// Ranks, known buffers, unique names, producers first; a recurrence reads what it has made.
Status verify(Kernel const& kernel);

/// One past the last stage of the recurrence that stage `first` begins.
size_t end_of_scan(Kernel const& kernel, size_t first);

/// One perfectly nested loop per axis and reduce axis, in order; the stages of a recurrence share
/// its ordered loop. Inner stages are allocated globally. Loops are named as the axes, blocks as
/// the stages, block iterators "v" + axis.
Result<ir::Program> to_program(Kernel const& kernel);

/// Floating-point operations: adds, multiplies, compares, one each; a transcendental counts one.
/// Products with padding and adding them count nothing: nobody has to compute them. Of a kernel
/// that computes integers, products that are summed up, two each, with padding, too (accelerators).
int64_t flops(Kernel const& kernel);
/// Whether it sums up products of integers and computes nothing in floats.
bool computes_integers(Kernel const& kernel);

/// "tilewright te 1" and the kernel; parses back to an equal kernel (narrow sums: narrow.h).
std::string to_text(Kernel const& kernel);
Result<Kernel> parse_kernel(std::string_view text, std::string_view file = "");
/// Same structure and names.
bool equal(Kernel const& a, Kernel const& b);
/// Hash of the structure without kernel name: equal kernels of different layers share it.
uint64_t structure_hash(Kernel const& kernel);

}  // namespace tw::te
