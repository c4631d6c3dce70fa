// What a model is run on when nobody gives its inputs.
#include <fmt/format.h>

#include "engine/graph/control_inputs.h"
#include "engine/importers/importer.h"
#include "engine/session/model/kernel_size.h"
#include "engine/session/model/loaded_model.h"
#include "engine/support/base/random.h"

namespace tw::session {
namespace {

namespace fs = std::filesystem;

/// A mode, a rate, a length: one number that decides what is computed.
bool is_mode(ModelTensor const& info) {
  return info.unknown.empty() && !is_float(info.type) && element_count(info.shape).value_or(0) == 1;
}

std::unexpected<Error> unknown_shape(ModelTensor const& info) {
  return bad_input(
      "unknown_shape",
      fmt::format("the shape of the input {} is not known ({}); set it with --shape {}=SHAPE",
                  info.name, fmt::join(info.unknown, ", "), info.name));
}

}  // namespace

std::map<std::string, NDArray> stored_modes(LoadedModel const& model) {
  std::map<std::string, NDArray> modes;
  if (model.path.empty() || model.is_expression) return modes;
  fs::path set = fs::path(model.path).parent_path() / "test_data_set_0";
  std::vector<ModelTensor> infos = model_inputs(model);
  for (size_t i = 0; i < infos.size(); ++i) {
    if (!is_mode(infos[i])) continue;
    auto stored = open_tensor(set / fmt::format("input_{}.pb", i));
    if (!stored) continue;
    NDArray value = as_declared(*stored, model.before.value(model.before.inputs[i]).type);
    if (value.type() == infos[i].type && value.shape() == infos[i].shape)
      modes[infos[i].name] = value;
  }
  return modes;
}

std::map<std::string, NDArray> usual_modes(LoadedModel const& model) {
  std::map<std::string, NDArray> modes, stored = stored_modes(model);
  if (model.is_expression) return modes;
  std::vector<ModelTensor> infos = model_inputs(model);
  for (size_t i = 0; i < infos.size(); ++i) {
    if (!is_mode(infos[i]) || stored.contains(infos[i].name)) continue;
    NDArray value = NDArray::create(infos[i].type, infos[i].shape).value();
    value.set_value(0, usual_value(model.before, model.before.inputs[i]));
    modes[infos[i].name] = value;
  }
  return modes;
}

Result<std::vector<NDArray>> random_inputs(LoadedModel const& model, uint64_t seed) {
  if (model.is_expression) {
    te::Kernel const& kernel = model.kernel(0).kernel;
    TRY(verify_memory("the tensors of " + kernel.name, size_of(kernel).bytes));
  }
  std::vector<NDArray> arrays;
  std::map<std::string, NDArray> modes = stored_modes(model);
  modes.merge(usual_modes(model));
  Rng rng(seed);
  for (ModelTensor const& info : model_inputs(model)) {
    if (!info.unknown.empty()) return unknown_shape(info);
    TRY_ASSIGN(NDArray array, NDArray::create(info.type, info.shape));
    for (int64_t i = 0; i < array.size(); ++i)
      array.set_value(i, is_float(info.type) ? rng.normal() : double(rng.below(2)));
    auto mode = modes.find(info.name);
    arrays.push_back(mode == modes.end() ? std::move(array) : mode->second);
  }
  return arrays;
}

}  // namespace tw::session
