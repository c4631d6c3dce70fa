/// Code of made-up machines: the text of the lowered kernel, which their devices interpret.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "engine/backend/backend.h"
#include "engine/ir/rewrite.h"
#include "engine/ir/text.h"

namespace tw::testing {

inline std::vector<std::byte> bytes_of(std::string_view text) {
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

/// Parameters that the kernel does not write come first.
inline size_t inputs_of(ir::Function const& host) {
  std::set<std::string> written;
  ir::walk_writes(host.body, [&](ir::Touched const& at) { written.insert(at.buffer->name); });
  return size_t(std::ranges::count_if(
      host.params, [&](ir::Buffer const& one) { return !written.contains(one->name); }));
}

/// "kernel SYMBOL INPUTS BYTES" and the kernel; with a listing of that name, which is the same.
inline Artifact interpreted_artifact(ir::KernelIr const& kernel, CodeTexts texts,
                                     std::string const& listing_key) {
  Artifact artifact;
  artifact.lowered = ir::print(kernel);
  artifact.symbol = kernel.host.name;
  std::string const& text = artifact.lowered.text;
  artifact.parts = {{"kernel", bytes_of(fmt::format("kernel {} {} {}\n{}", artifact.symbol,
                                                    inputs_of(kernel.host), text.size(), text))}};
  if (texts == CodeTexts::kNone) return artifact;
  CodeListing listing{listing_key, text, {}};
  for (size_t line = 1; line <= artifact.lowered.lines.size(); ++line)
    listing.source_line.push_back(int32_t(line));
  artifact.listings = {std::move(listing)};
  return artifact;
}

inline std::vector<std::byte> interpreted_library(std::string_view magic,
                                                  std::span<CodeParts const> kernels) {
  std::vector<std::byte> library = bytes_of(magic);
  for (CodeParts const& kernel : kernels)
    for (auto const& [name, bytes] : kernel)
      library.insert(library.end(), bytes.begin(), bytes.end());
  return library;
}

}  // namespace tw::testing
