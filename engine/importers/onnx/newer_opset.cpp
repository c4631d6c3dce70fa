#include "engine/importers/onnx/newer_opset.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace tw {
namespace {

constexpr int64_t kOldest = 9;

/// Attributes that are inputs since an opset, in the order of the inputs, which begin at `first`.
/// `others` are gone with it: the standard of an inference.
struct Moved {
  std::string_view op;
  int64_t since;
  size_t first;
  std::vector<std::string> attributes;
  std::vector<std::string> others = {};
};

std::vector<Moved> const& moved_attributes() {
  static std::vector<Moved> const all{
      {"Slice", 10, 1, {"starts", "ends", "axes"}},
      {"TopK", 10, 1, {"k"}},
      {"Clip", 11, 1, {"min", "max"}},
      {"Pad", 11, 1, {"pads", "value"}},
      {"Dropout", 12, 1, {}, {"ratio"}},
      {"Squeeze", 13, 1, {"axes"}},
      {"Unsqueeze", 13, 1, {"axes"}},
      {"ReduceSum", 13, 1, {"axes"}},
      {"Split", 13, 1, {"split"}},
  };
  return all;
}

/// Operators that mean something else since an opset.
struct Changed {
  std::string_view op;
  int64_t since;
};
constexpr Changed kChanged[] = {{"Upsample", 10}, {"Resize", 11},     {"Scatter", 11},
                                {"Softmax", 13},  {"LogSoftmax", 13}, {"Hardmax", 13}};

std::optional<NDArray> as_tensor(ForeignAttribute const& attribute) {
  auto filled = [](DType type, Shape const& shape, auto const& numbers) {
    NDArray array = NDArray::create(type, shape).value();
    for (int64_t i = 0; i < array.size(); ++i) array.set_value(i, double(numbers[size_t(i)]));
    return array;
  };
  if (auto const* one = std::get_if<int64_t>(&attribute))
    return filled(DType::kI64, {1}, std::vector{*one});
  if (auto const* number = std::get_if<double>(&attribute))
    return filled(DType::kF32, {}, std::vector{*number});
  if (auto const* many = std::get_if<std::vector<int64_t>>(&attribute))
    return filled(DType::kI64, {std::ssize(*many)}, *many);
  return {};
}

class Newer {
public:
  Newer(ImportedModel model, int64_t from, int64_t to)
      : model_(std::move(model)), from_(from), to_(to) {
    for (auto const& [name, tensor] : model_.graph.initializers) names_.insert(name);
    for (ForeignNode const& node : model_.graph.nodes)
      names_.insert(node.outputs.begin(), node.outputs.end());
  }

  Result<ImportedModel> run() {
    for (ForeignNode& node : model_.graph.nodes) {
      if (!node.domain.empty() && node.domain != "ai.onnx") continue;
      TRY(check(node));
      for (Moved const& one : moved_attributes())
        if (node.op_type == one.op && from_ < one.since && one.since <= to_) move(node, one);
    }
    for (char const* domain : {"", "ai.onnx"})
      if (auto found = model_.opsets.find(domain); found != model_.opsets.end())
        found->second = std::max(found->second, to_);
    return std::move(model_);
  }

private:
  Status check(ForeignNode const& node) const {
    for (Changed const& one : kChanged)
      if (node.op_type == one.op && from_ < one.since && one.since <= to_ && !means_the_same(node))
        return refuse(fmt::format("whose {} is another one in opset {}", one.op, one.since));
    for (auto const& [name, attribute] : node.attributes)
      if (std::holds_alternative<std::shared_ptr<ForeignGraph const>>(attribute))
        return refuse(fmt::format("whose {} has a body", node.op_type));
    return {};
  }

  std::unexpected<Error> refuse(std::string const& why) const {
    return bad_input("old_opset",
                     fmt::format("the model is of opset {}, {}; quantized models need opset {}",
                                 from_, why, to_));
  }

  /// Softmax of the last axis: both see rows.
  bool means_the_same(ForeignNode const& node) const {
    if (!node.op_type.ends_with("max") || node.outputs.empty()) return false;
    auto given = node.attributes.find("axis");
    auto const* axis =
        given == node.attributes.end() ? nullptr : std::get_if<int64_t>(&given->second);
    std::optional<size_t> rank = rank_of(node.outputs[0]);
    if (axis && *axis == -1) return true;
    return rank && (axis ? *axis : 1) == int64_t(*rank) - 1;
  }

  /// As the model declares it; empty: it does not.
  std::optional<size_t> rank_of(std::string const& name) const {
    for (auto const* values : {&model_.graph.outputs, &model_.graph.values, &model_.graph.inputs})
      for (ForeignValue const& value : *values)
        if (value.name == name && value.dims) return value.dims->size();
    return {};
  }

  void move(ForeignNode& node, Moved const& moved) {
    for (std::string const& name : moved.others) node.attributes.erase(name);
    for (size_t i = 0; i < moved.attributes.size(); ++i) {
      auto found = node.attributes.find(moved.attributes[i]);
      if (found == node.attributes.end()) continue;
      auto tensor = as_tensor(found->second);
      if (!tensor) continue;
      size_t place = moved.first + i;
      if (node.inputs.size() <= place) node.inputs.resize(place + 1);
      node.inputs[place] = add(node, moved.attributes[i], *std::move(tensor));
      node.attributes.erase(found);
    }
  }

  std::string add(ForeignNode const& node, std::string const& what, NDArray tensor) {
    std::string wanted = (node.outputs.empty() ? node.name : node.outputs[0]) + "/" + what;
    std::string name = wanted;
    for (int i = 1; !names_.insert(name).second; ++i) name = fmt::format("{}_{}", wanted, i);
    model_.graph.initializers[name] = std::move(tensor);
    return name;
  }

  ImportedModel model_;
  int64_t from_, to_;
  std::set<std::string> names_;
};

/// 0: the model does not say.
int64_t opset_of(ImportedModel const& model) {
  for (char const* domain : {"", "ai.onnx"})
    if (auto found = model.opsets.find(domain); found != model.opsets.end()) return found->second;
  return 0;
}

}  // namespace

Result<ImportedModel> with_opset(ImportedModel model, int64_t least) {
  int64_t from = opset_of(model);
  if (from == 0) return bad_input("old_opset", "the model does not say which opset it is of");
  if (from < kOldest)
    return bad_input("old_opset", fmt::format("the model is of opset {}, which cannot be "
                                              "quantized; opset {} and later can",
                                              from, kOldest));
  if (from >= least) return model;
  return Newer(std::move(model), from, least).run();
}

}  // namespace tw
