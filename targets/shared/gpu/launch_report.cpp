#include "targets/shared/gpu/launch_report.h"

#include <algorithm>

#include "engine/ir/stmt.h"
#include "targets/shared/gpu/warp_accesses.h"

namespace tw::gpu {
namespace {

/// "  C[i] = ..." without its indentation.
std::string line_of(ir::PrintedProgram const& printed, int line) {
  size_t begin = 0;
  for (int i = 1; i < line && begin != std::string::npos; ++i) {
    begin = printed.text.find('\n', begin);
    if (begin != std::string::npos) ++begin;
  }
  if (line < 1 || begin == std::string::npos) return {};
  begin = printed.text.find_first_not_of(' ', begin);
  if (begin == std::string::npos) return {};
  return printed.text.substr(begin, printed.text.find('\n', begin) - begin);
}

/// Iterations of the loops around that are no threads and no blocks.
double requests_of(WarpAccess const& access) {
  double all = access.alike;
  for (LoopAround const& loop : access.around)
    if (loop.dimension < 0 && !loop.blocks) all *= double(std::max<int64_t>(loop.extent, 1));
  return all;
}

std::vector<AccessLoop> loops_of(WarpAccess const& access) {
  std::vector<std::string> names = deciding_loops(access);
  std::vector<AccessLoop> loops;
  for (LoopAround const& loop : access.around)
    if (std::ranges::find(names, loop.name) != names.end())
      loops.push_back({loop.name, loop.extent, loop.blocks});
  return loops;
}

WarpRequest request_at(WarpAccess const& access, LaunchShape const& shape, int warp,
                       RequestPlace const& place) {
  WarpRequest request;
  auto addresses = lane_addresses(access, shape, warp, place);
  request.known = addresses.has_value();
  if (!addresses) return request;
  request.address = *std::move(addresses);
  std::vector<int64_t> taken = request.address;
  std::erase(taken, -1);
  int bytes = access.bytes * access.width;
  if (access.shared && taken.size() == request.address.size())
    request.together = int(lanes_of_pass(taken, bytes, access.store));
  request.cost = access.shared ? passes_of(taken, bytes, access.store) : sectors_of(taken, bytes);
  return request;
}

LaunchAccess report_of(WarpAccess const& access, LaunchShape const& shape,
                       ir::PrintedProgram const& printed, int warp) {
  LaunchAccess made{.tensor = access.tensor, .shared = access.shared, .store = access.store};
  made.bytes = access.bytes * access.width;
  made.elements = access.width;
  made.average = access.average;
  made.least = access.least;
  made.most = access.most;
  made.ideal = access.ideal;
  made.guarded = access.guarded;
  made.version = access.version;
  made.undecided = access.undecided;
  if (auto at = printed.line_of.find(access.statement); at != printed.line_of.end())
    made.source_line = at->second;
  made.statement = line_of(printed, made.source_line);
  made.requests = requests_of(access);
  made.warps = int((shape.threads() + warp - 1) / warp);
  made.loops = loops_of(access);
  if (!access.undecided.empty()) return made;
  made.request = [access, shape, warp, loops = made.loops](int of, std::span<int64_t const> at) {
    RequestPlace place{.warp = of};
    for (size_t i = 0; i < std::min(loops.size(), at.size()); ++i) place.at[loops[i].name] = at[i];
    return request_at(access, shape, warp, place);
  };
  return made;
}

}  // namespace

LaunchReport launch_report(std::string name, ir::Function const& device_function,
                           LaunchShape const& shape, ir::PrintedProgram const& printed,
                           Warps const& warps) {
  LaunchReport launch{.function = std::move(name), .block = shape.block};
  for (size_t i = 0; i < 3; ++i) launch.grid[i] = ir::as_int(shape.grid[i]).value_or(0);
  for (WarpAccess const& access :
       warp_accesses(device_function, shape, warps.threads, warps.alignment, warps.calls))
    launch.accesses.push_back(report_of(access, shape, printed, warps.threads));
  return launch;
}

}  // namespace tw::gpu
