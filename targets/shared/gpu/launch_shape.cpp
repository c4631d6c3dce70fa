#include "targets/shared/gpu/launch_shape.h"

#include <fmt/format.h>

#include "engine/ir/rewrite.h"
#include "engine/ir/text.h"

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

std::string joined(std::array<std::string, 3> const& extents) {
  size_t count = 3;
  while (count > 1 && extents[count - 1] == "1") --count;
  std::string text = extents[0];
  for (size_t d = 1; d < count; ++d) text += " x " + extents[d];
  return text;
}

}  // namespace

std::string grid_text(LaunchShape const& shape) {
  return joined({to_text(shape.grid[0]), to_text(shape.grid[1]), to_text(shape.grid[2])});
}

std::string block_text(LaunchShape const& shape) {
  return joined({std::to_string(shape.block[0]), std::to_string(shape.block[1]),
                 std::to_string(shape.block[2])});
}

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
