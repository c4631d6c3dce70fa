#include "targets/shared/gpu/sum_parts.h"

#include <fmt/format.h>

#include "engine/ir/stmt.h"

namespace tw::gpu {
namespace {

constexpr int64_t kThreads = 128;  // of a block that adds parts

}  // namespace

std::string make_parts(Steps& steps, std::string const& block, std::string const& loop,
                       int64_t count) {
  auto site = find_block(steps.schedule().program(), block);
  auto const* sum = site ? site->block->body.as<ir::Store>() : nullptr;
  if (!sum) return {};
  std::string parts = sum->buffer->name + "_rf";
  bool made = steps.take_all({fmt::format("part, k = split({}.{}, parts={})", block, loop, count),
                              fmt::format("rfactor({}.part)", block)});
  return made ? parts : std::string();
}

bool add_parts(Steps& steps, std::string const& block, std::vector<std::string> const& spatial,
               std::string const& after) {
  std::vector<std::string> loops;
  for (std::string const& loop : spatial) loops.push_back(block + "." + loop);
  bool in_registers = steps.take(
      fmt::format("{}({}, scope=local)", after.empty() ? "cache_write" : "set_scope", block));
  std::string all = in_registers ? steps.fuse_all(block, loops, "all") : std::string();
  return !all.empty() &&
         steps.take(fmt::format("launch_elements({}, {}, threads={})", all,
                                after.empty() ? block + "_write" : after, kThreads));
}

}  // namespace tw::gpu
