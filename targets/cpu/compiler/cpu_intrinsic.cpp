#include "targets/cpu/compiler/cpu_intrinsic.h"

#include <algorithm>
#include <sstream>

#include "engine/ir/parse_call.h"
#include "targets/cpu/hardware/detect.h"

namespace tw {

bool has_intrinsic(CpuIntrinsic const& intrinsic, Hardware const& hardware) {
  std::string triple = hardware.word(kTriple);
  if (triple.substr(0, triple.find('-')) != intrinsic.architecture) return false;
  std::vector<std::string> known;
  std::istringstream words(hardware.word(kFeatures));
  for (std::string word; std::getline(words, word, ',');)
    if (word.starts_with('+')) known.push_back(word.substr(1));
  return std::ranges::any_of(intrinsic.features, [&](std::vector<std::string> const& needed) {
    return std::ranges::all_of(needed, [&](std::string const& one) {
      return std::ranges::find(known, one) != known.end();
    });
  });
}

std::vector<CpuIntrinsic const*> intrinsics_of(Hardware const& hardware) {
  std::vector<CpuIntrinsic const*> found;
  for (CpuIntrinsic const* one : cpu_intrinsic_table())
    if (has_intrinsic(*one, hardware)) found.push_back(one);
  std::ranges::stable_sort(found, std::greater(),
                           [](CpuIntrinsic const* one) { return one->operations; });
  return found;
}

TensorIntrinsic tensor_intrinsic(CpuIntrinsic const& intrinsic) {
  return {ir::parse_intrinsic(intrinsic.declaration).value(), intrinsic.dense};
}

}  // namespace tw
