#include "targets/cuda/compiler/access_listing.h"

#include <fmt/format.h>

#include <cmath>

#include "targets/cuda/hardware/description.h"

namespace tw::cuda {
namespace {

constexpr int kWarp = 32;

/// "4", or "4.5" where not all iterations cost the same.
std::string number(double value) {
  bool whole = std::abs(value - std::round(value)) < 1e-9;
  return whole ? fmt::format("{:.0f}", value) : fmt::format("{:.2f}", value);
}

std::string cost(gpu::WarpAccess const& access) {
  if (!access.undecided.empty()) return "not decided: " + access.undecided;
  bool one = access.average == 1;
  char const* unit = access.shared ? (one ? "pass" : "passes") : (one ? "sector" : "sectors");
  std::string text = fmt::format("{:>5} {}, ideal {}", number(access.average), unit, access.ideal);
  if (access.least != access.most) text += fmt::format(" ({} to {})", access.least, access.most);
  if (access.width > 1) text += fmt::format(", {} elements at once", access.width);
  if (!access.version.empty()) text += ", " + access.version;
  if (access.guarded) text += ", at most: under a condition";
  return text;
}

}  // namespace

CodeListing access_listing(std::string const& key, ir::KernelIr const& kernel,
                           std::vector<gpu::LaunchShape> const& shapes,
                           gpu::CallAccesses const& calls, ir::PrintedProgram const& lowered) {
  CodeListing listing{key, {}, {}};
  auto line = [&](std::string const& text, int32_t source) {
    listing.text += text + "\n";
    listing.source_line.push_back(source);
  };
  for (size_t i = 0; i < kernel.device.size(); ++i) {
    line(fmt::format("{}: each access of a warp of {} threads", kernel.device[i].name, kWarp), 0);
    for (gpu::WarpAccess const& access :
         gpu::warp_accesses(kernel.device[i], shapes[i], kWarp, kTensorAlignment, calls)) {
      auto at = lowered.line_of.find(access.statement);
      line(fmt::format("  {:<16} {:<5} {:<6} {}", access.tensor, access.store ? "store" : "load",
                       access.shared ? "shared" : "global", cost(access)),
           at == lowered.line_of.end() ? 0 : at->second);
    }
  }
  return listing;
}

}  // namespace tw::cuda
