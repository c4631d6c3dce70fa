/// A folder of kernels with their references, as the packer wrote it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/support/base/error.h"

namespace tw::gpu_bench {

using Json = nlohmann::json;

Result<std::string> file_text(std::filesystem::path const& path);

struct Pack {
  std::filesystem::path folder;
  Json json;

  /// Errors: file_unreadable, bad_pack.
  static Result<Pack> open(std::filesystem::path folder);
  /// Of the file of tensors; `where`: {"at": ..., "bytes": ...}. Errors: file_unreadable.
  Result<std::vector<std::byte>> stored(Json const& where) const;
};

/// {"name": ..., "why": the sentence}: what became of something that did not work.
Json failed(std::string const& name, std::string const& why);

}  // namespace tw::gpu_bench
