/// What an importer hands over: a model in the words of its own format, with every size checked but
/// nothing interpreted. Values are named by strings; an empty name is an absent optional input.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/tensor/ndarray.h"

namespace tw {

/// An extent: a number, a name that the file gives to an unknown number, or nothing.
struct ForeignDim {
  std::optional<int64_t> extent;
  std::string symbol;
  bool operator==(ForeignDim const&) const = default;
};

enum class ForeignKind : uint8_t { kTensor, kSequence, kOptional, kOther };

/// A declared input, output or intermediate value. For sequences and optionals, type and dims are
/// those of the element.
struct ForeignValue {
  std::string name;
  ForeignKind kind = ForeignKind::kTensor;
  std::optional<DType> type;                    ///< empty: a type that we have no name for
  std::optional<std::vector<ForeignDim>> dims;  ///< empty: rank unknown
};

struct ForeignGraph;

/// `std::monostate`: the file gives a kind of attribute that nothing here reads.
using ForeignAttribute =
    std::variant<std::monostate, int64_t, double, std::string, NDArray, std::vector<int64_t>,
                 std::vector<double>, std::vector<std::string>,
                 std::shared_ptr<ForeignGraph const>>;

struct ForeignNode {
  std::string name;  ///< may be empty
  std::string op_type;
  std::string domain;  ///< empty: the format's own operators
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::map<std::string, ForeignAttribute> attributes;
};

struct ForeignGraph {
  std::string name;
  std::vector<ForeignNode> nodes;
  std::map<std::string, NDArray> initializers;
  std::vector<ForeignValue> inputs;
  std::vector<ForeignValue> outputs;
  std::vector<ForeignValue> values;  ///< declared intermediates
};

struct ImportedModel {
  std::string format;                     ///< "onnx"
  std::string producer;                   ///< "pytorch 1.10"
  std::map<std::string, int64_t> opsets;  ///< version by domain
  ForeignGraph graph;
};

/// One line per value and node; tensors as type, shape and content hash.
std::string to_text(ImportedModel const& model);

}  // namespace tw
