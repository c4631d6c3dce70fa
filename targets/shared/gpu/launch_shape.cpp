#include "targets/shared/gpu/launch_shape.h"

#include <fmt/format.h>

#include "engine/ir/rewrite.h"

namespace tw::gpu {

using namespace ir;

namespace {

constexpr std::string_view kBlocks = "blockIdx.", kThreads = "threadIdx.";

/// 0 to 2; nothing: the axis is another one.
std::optional<size_t> dimension(std::string_view axis, std::string_view prefix) {
  if (!axis.starts_with(prefix) || axis.size() != prefix.size() + 1) return std::nullopt;
  size_t at = std::string_view("xyz").find(axis.back());
  return at == std::string_view::npos ? std::nullopt : std::optional(at);
}

}  // namespace

Result<LaunchShape> launch_shape(Function const& device_function) {
  LaunchShape shape{{int_imm(1), int_imm(1), int_imm(1)}, {1, 1, 1}};
  std::array<bool, 3> blocks{}, threads{};
  Status status;
  auto note = [&](For const& loop) -> Status {
    if (auto d = dimension(loop.bind, kBlocks)) {
      if (!blocks[*d]) shape.grid[*d] = loop.extent;
      blocks[*d] = true;
      return {};
    }
    auto d = dimension(loop.bind, kThreads);
    auto extent = as_int(loop.extent);
    if (!d || !extent)
      return refused("unsupported_statement",
                     fmt::format("the loop {}, bound to {}, has no code on this target",
                                 loop.name(), loop.bind));
    if (!threads[*d]) shape.block[*d] = *extent;
    threads[*d] = true;
    return {};
  };
  walk(device_function.body, [&](Stmt const& s) {
    auto const* loop = s.as<For>();
    if (status && loop && loop->loop_kind == LoopKind::kBind) status = note(*loop);
    return bool(status);
  });
  TRY(status);
  return shape;
}

}  // namespace tw::gpu
