/// What one operator, kernel or tensor of the model is: its attributes, what it reads and makes,
/// what it computes and costs, and which values a weight has. Questions to a session that are asked
/// of one thing at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/session/values.h"
#include "engine/support/base/error.h"

namespace tw::session {

class Session;

// ---- what is looked at -----------------------------------------------------------------------

enum class InspectedKind : uint8_t {
  kOperator,  ///< of the fused graph
  kImported,  ///< an operator as the model's file has it
  kKernel,
  kTensor
};
/// By the name that the graph or the kernel table has for it, or an operator's number: "#12".
struct Inspected {
  InspectedKind kind = InspectedKind::kKernel;
  std::string name;
  bool operator==(Inspected const&) const = default;
};
/// "operator", as journals and commands have it.
std::string_view word_of(InspectedKind kind);
std::optional<InspectedKind> inspected_kind(std::string_view word);
std::span<InspectedKind const> inspected_kinds();

// ---- what is said of it ------------------------------------------------------------------------

struct InspectedAttribute {
  std::string name;
  std::string value;
  std::string doc;
  bool usual = false;  ///< it is what is taken where a model does not say it
};
struct InspectedTensor {
  std::string operand;  ///< what the operator or the kernel calls it: "W"
  std::string name;     ///< in the model; empty: it has none
  std::string type;     ///< "f32"
  std::string shape;    ///< "64x3x7x7"
  std::string layout;   ///< "plain", "ABCD16b"
  int64_t bytes = 0;    ///< as it lies in memory; 0: not known
  bool weight = false;  ///< its values are known
  bool known = false;   ///< it can be looked at by its name
};
/// Something else that can be looked at from here.
struct InspectedLink {
  Inspected what;
  std::string detail;                   ///< "conv2d 3x3 /2", "runs 4 times"
  std::optional<PatternClass> pattern;  ///< of an operator
};
struct InspectedCost {
  int64_t operations = 0;  ///< in one run
  bool integers = false;   ///< that is what is counted
  int64_t read = 0;        ///< distinct bytes, each once
  int64_t written = 0;
  int runs = 1;           ///< in one run of the model
  double work_share = 0;  ///< of the model's operations
  /// Operations for each byte; empty: it moves none.
  std::optional<double> intensity() const {
    if (read + written <= 0) return std::nullopt;
    return double(operations) / double(read + written);
  }
};

struct InspectorView {
  Inspected of;
  std::string failure = {};  ///< a sentence instead of the rest
  std::string title = {};    ///< its name
  std::string what = {};     ///< "conv2d 3x3 /2", "Kernel", "Weight"
  std::string doc = {};      ///< of its operator: a sentence
  std::string reason = {};   ///< why nothing compiles it
  std::optional<PatternClass> pattern = {};
  std::string algorithm = {};             ///< which of the operator's ways; empty: it has one
  std::vector<std::string> origins = {};  ///< nodes of the model's file that it stands for
  int kernel = -1;                        ///< the row that it is part of, or is
  std::vector<InspectedAttribute> attributes = {};
  std::vector<InspectedTensor> inputs = {}, outputs = {};
  std::optional<InspectedTensor> tensor = {};  ///< of a tensor: itself
  int64_t elements = 0;                        ///< of that
  std::vector<InspectedLink> operators = {};   ///< of a kernel
  std::vector<InspectedLink> kernels = {};     ///< that it is part of
  std::vector<InspectedLink> became = {};      ///< of an imported operator: after all passes
  std::vector<InspectedLink> made_by = {}, read_by = {};
  std::optional<InspectedCost> cost = {};
  std::string compute = {};             ///< the tensor expression, as `tw` reads it
  std::string no_compute_because = {};  ///< a sentence where there is none
  std::string values_of = {};  ///< a weight of it whose values say most; empty: there is none
};

/// A single value of a tensor, with four digits if it is not whole: "-0.01171", "16000".
std::string value_text(double value);
/// "226 MFLOP", "58 OP".
std::string operations_text(int64_t operations, bool integers);

/// How the values of a tensor lie.
struct ValueStatistics {
  std::string tensor;
  std::string failure = {};  ///< a sentence instead of the rest
  int64_t count = 0;
  int64_t nan = 0, above = 0, below = 0;  ///< no numbers, +infinite and -infinite ones
  int64_t zeros = 0;
  double least = 0, greatest = 0, mean = 0, deviation = 0;  ///< of the finite ones
  bool whole = false;                                       ///< the type has whole numbers alone
  double low = 0, step = 0;        ///< bin i has what is from low + i * step to below the next
  std::vector<int64_t> bins = {};  ///< of the finite ones; empty: there are none
  int64_t finite() const { return count - nan - above - below; }
  double share_of_zeros() const { return count > 0 ? double(zeros) / double(count) : 0; }
  /// Most of the bins would not be seen beside the highest one.
  bool wants_logarithm() const;
  /// "-0.125 to 0", or a single whole number.
  std::string words_of(size_t bin) const;
};

// ---- asked of a session ------------------------------------------------------------------------

/// Errors: no_model; unknown_node, unknown_kernel or unknown_tensor.
Status can_inspect(Session& session, Inspected const& what);
/// Both are memoized, the last ones. Null: not there yet, the listener is called when it is; or
/// there is no model.
std::shared_ptr<InspectorView const> inspect(Session& session, Inspected const& what);
std::shared_ptr<ValueStatistics const> value_statistics(Session& session,
                                                        std::string const& tensor);

}  // namespace tw::session
