/// Tensors of the test sets that come with models.
#pragma once

#include "engine/importers/importer.h"

namespace tw::testing {

/// Inputs or outputs of a test set, in order: PREFIX_0.pb, PREFIX_1.pb, ...
inline Result<std::vector<NDArray>> load(std::filesystem::path const& folder,
                                         std::string const& prefix) {
  namespace fs = std::filesystem;
  std::vector<NDArray> arrays;
  for (int i = 0; fs::exists(folder / (prefix + "_" + std::to_string(i) + ".pb")); ++i) {
    TRY_ASSIGN(NDArray array, open_tensor(folder / (prefix + "_" + std::to_string(i) + ".pb")));
    arrays.push_back(array);
  }
  return arrays;
}

}  // namespace tw::testing
