#include <fmt/format.h>

#include <algorithm>

#include "engine/ir/index_map.h"
#include "engine/ir/one_to_one.h"
#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/block_class.h"
#include "engine/schedule/legality/stages.h"
#include "engine/schedule/rewriting/buffers.h"
#include "engine/schedule/rewriting/layout.h"

namespace tw::primitive_transform_layout {
namespace {

using namespace ir;

constexpr char kCondition[] =
    "transform_layout: one letter per dimension (A, B, ...), and blocks as a number and the "
    "lowercase letter";

constexpr char kMapCondition[] =
    "transform_layout: a map from a name for each index to the indices in memory, made of these "
    "names and whole numbers by +, -, *, //, % and ^; every element has a place of its own, and "
    "at most half of the places are empty";

std::expected<Proof, Refusal> check_letters(StepRequest const& request, BufferNode const& buffer) {
  if (buffer.map)
    return refuse_stage(
        "mapped",
        fmt::format("{} has a layout by an index map already, which speaks of its dimensions",
                    buffer.name),
        "transform_layout: the order of dimensions comes before an index map");
  auto layout = parse_layout(request.word("layout"), buffer.shape.size());
  if (!layout)
    return refuse_stage("bad_layout",
                        fmt::format("'{}' is not a layout of {}: {}", request.word("layout"),
                                    buffer.name, layout.error().message),
                        kCondition);
  return Proof{"every element has one place"};
}

/// Places of a map, as many times as there are elements, that are not refused.
constexpr double kMostHoles = 2;

double product_of(std::vector<int64_t> const& shape) {
  double all = 1;
  for (int64_t extent : shape) all *= double(extent);
  return all;
}

std::expected<Proof, Refusal> check_map(StepRequest const& request, BufferNode const& buffer) {
  auto no_layout = [&](std::string const& why) {
    return fmt::format("'{}' is no layout of {}: {}", request.word("map"), buffer.name, why);
  };
  auto map = parse_index_map(request.word("map"));
  if (!map) return refuse_stage("bad_map", no_layout(map.error().message), kMapCondition);
  std::vector<int64_t> shape = *constant_shape(buffer);
  if (Status places = check_one_to_one(**map, shape); !places) {
    std::string why = no_layout(places.error().message);
    if (places.error().code == "not_one_to_one")
      return refuse_stage("not_one_to_one", why, kMapCondition);
    if (places.error().code == "map_undecided")
      return refuse_stage("map_undecided", why, kMapCondition);
    return refuse_stage("bad_map", why, kMapCondition);
  }
  std::vector<int64_t> in_memory = *mapped_shape(**map, shape);
  double elements = product_of(shape), places = product_of(in_memory);
  // A tensor of which only tiles are left may have holes now, and none then.
  if (places > kMostHoles * elements)
    return refuse_stage("map_leaves_holes",
                        no_layout(fmt::format("it has {:.0f} elements, and would take the room of "
                                              "{:.0f}",
                                              elements, places)),
                        kMapCondition);
  if (places > elements)
    return Proof{fmt::format("every element has one place; {:.0f} of {:.0f} are empty",
                             places - elements, places)};
  return Proof{"every element has one place, and every place one element"};
}

std::expected<Proof, Refusal> check(StepRequest const& request) {
  Buffer buffer = written_buffer(request.blocks[0]);
  if (!buffer || !constant_shape(*buffer))
    return refuse_stage("not_one_tensor",
                        fmt::format("{} does not write one tensor of constant shape",
                                    request.blocks[0].block->name),
                        "transform_layout: the block must write one tensor of constant shape");
  if (is_parameter(request.program, buffer->name))
    return refuse_stage(
        "writes_an_output",
        fmt::format("{} is an output of the kernel: the caller chooses its layout", buffer->name),
        "transform_layout: the tensor must be allocated inside the kernel");
  if (auto free = used_by_no_call(request.program, buffer->name, "transform_layout"); !free)
    return std::unexpected(free.error());
  if (!buffer->alignments.empty())
    return refuse_stage(
        "aligned",
        fmt::format("dimensions of {} have alignments, and another layout has other dimensions",
                    buffer->name),
        "transform_layout: the layout comes before storage_align");
  if (request.has("layout") == request.has("map"))
    return refuse_stage("bad_layout",
                        "a layout is asked for by letters or by a map, by one of the two",
                        kCondition);
  return request.has("map") ? check_map(request, *buffer) : check_letters(request, *buffer);
}

Applied apply(StepRequest const& request) {
  Buffer buffer = written_buffer(request.blocks[0]);
  if (request.has("layout")) {
    Layout layout = *parse_layout(request.word("layout"), buffer->shape.size());
    return {with_layout(request.program, buffer->name, layout), {}, {}};
  }
  Applied applied{request.program, {}, {}};
  BufferNode node = *buffer;
  node.map = *parse_index_map(request.word("map"));
  applied.program.body =
      replace_buffer(request.program.body, buffer->name, std::make_shared<BufferNode const>(node));
  return applied;
}

}  // namespace

Primitive const& row() {
  static Primitive const primitive{
      .name = "transform_layout",
      .key = "L",
      .title = "Change a tensor's layout",
      .doc =
          "Stores a tensor with its dimensions in another order, some of them split into blocks, "
          "in oneDNN's notation: BA is the transpose of AB, and BA16b also splits B into blocks of "
          "16. A map says where each element lies instead: with \"i, j -> i, (j // 8 ^ i % 8) * 8 "
          "+ j % 8\" pieces of 8 elements change places in each row, so that a column's are in "
          "different banks. The program goes on with its own indices, also where the tensor is "
          "later made smaller: the map is then one of the indices of what is left.",
      .rewrite =
          "T[i, j]  -- layout=BA16b -->  T[j // 16, i, j % 16]; alloc T[64, 64]  -- map=\"i, "
          "j -> j, i\" -->  alloc T[64, 64] map(i, j -> j, i)",
      .parameters = {{.name = "layout",
                      .doc = "the new order",
                      .low = 0,
                      .high = 0,
                      .optional = true,
                      .word = true},
                     {.name = "map",
                      .doc = "a map of indices in the place of an order",
                      .low = 0,
                      .high = 0,
                      .optional = true,
                      .word = true}},
      .check = check,
      .apply = apply,
      .kinds = {TargetKind::kBlock},
      .beside_calls = true,
      .looks_into_blocks = true,
      .refuses = {"aligned", "bad_layout", "bad_map", "map_leaves_holes", "map_undecided", "mapped",
                  "not_one_tensor", "not_one_to_one", "used_by_a_call", "writes_an_output"},
  };
  return primitive;
}

}  // namespace tw::primitive_transform_layout
