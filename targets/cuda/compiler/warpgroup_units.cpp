#include "targets/cuda/compiler/warpgroup_units.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/ir/intrinsic.h"
#include "engine/ir/parse_call.h"
#include "engine/ir/text.h"

namespace tw::cuda {

using namespace ir;

namespace {

constexpr char kQueue[] = "products";
constexpr int64_t kColumns[] = {64, 128, 256};

struct Kind {
  char const* name;
  DType factor, sum;
  char const* rounded = nullptr;
};
constexpr Kind kKinds[] = {{"f16", DType::kF16, DType::kF32},
                           {"bf16", DType::kBF16, DType::kF32},
                           {"i8", DType::kI8, DType::kI32},
                           {"u8", DType::kU8, DType::kI32},
                           {"tf32", DType::kF32, DType::kF32, "tf32"}};

TensorIntrinsic declared(WarpgroupUnit const& unit) {
  IntrinsicNode node = **parse_intrinsic(fmt::format(
      "intrinsic {0}(update c: {1}[2, {3}, 2], read a: {2}[2, 2, {4}] @shared, "
      "read b: {2}[2, {4}, {3}, 2] @shared) async in {5}\n"
      "  for i in 2\n    for n in {3}\n      for j in 2\n"
      "        for p in 2\n          for k in {4}\n"
      "            c[i, n, j] = c[i, n, j]+{1}(a[i, p, k])*{1}(b[p, k, n, j])\n",
      unit.name, to_text(unit.sum), to_text(unit.factor), unit.columns / 8, unit.row(), kQueue));
  node.doc = fmt::format(
      "a warpgroup's product of 64x{0} by {0}x{1} numbers of type {2}{5} in shared memory, two "
      "rows "
      "and {3} columns of each thread, summed in {4} while others compute",
      unit.terms(), unit.columns, to_text(unit.factor), unit.columns / 4, to_text(unit.sum),
      unit.rounded ? fmt::format(", cut to {},", unit.rounded) : "");
  return {*declare(std::move(node)), {}};
}

IntrinsicNode word(char const* name, char const* doc, Completion completion) {
  return {.name = name, .doc = doc, .completion = completion, .queue = kQueue};
}

}  // namespace

std::string WarpgroupUnit::shape() const {
  char const* type = factor == DType::kF16    ? "f16"
                     : factor == DType::kBF16 ? "bf16"
                     : factor == DType::kI8   ? "s8"
                     : factor == DType::kF32  ? rounded
                                              : "u8";
  return fmt::format("m64n{}k{}.{}.{}.{}", columns, terms(), sum == DType::kI32 ? "s32" : "f32",
                     type, type);
}

std::vector<WarpgroupUnit> const& warpgroup_units() {
  static std::vector<WarpgroupUnit> const units = [] {
    std::vector<WarpgroupUnit> made;
    for (Kind const& kind : kKinds)
      for (int64_t columns : kColumns)
        made.push_back({fmt::format("wgmma_{}_n{}", kind.name, columns), kind.factor, kind.sum,
                        columns, kind.rounded});
    return made;
  }();
  return units;
}

WarpgroupUnit const* warpgroup_unit(IntrinsicNode const& intrinsic) {
  auto found = std::ranges::find(warpgroup_units(), intrinsic.name, &WarpgroupUnit::name);
  return found == warpgroup_units().end() ? nullptr : &*found;
}

void add_warpgroup_units(Target& target, std::string const& architecture) {
  if (architecture != kWarpgroupArchitecture) return;
  for (WarpgroupUnit const& unit : warpgroup_units()) target.intrinsics.push_back(declared(unit));
  AsyncQueue const& queue = product_queue();
  target.queues.push_back({queue.name, queue.commit, queue.wait});
}

AsyncQueue const& product_queue() {
  static AsyncQueue const queue = [] {
    IntrinsicNode wait =
        word(kWaitProducts, "until at most n groups of products are under way", Completion::kWaits);
    wait.params = {scalar_param("n")};
    return AsyncQueue{kQueue,
                      *declare(word(kCommitProducts, "the products that were started are a group",
                                    Completion::kCommits)),
                      *declare(std::move(wait))};
  }();
  return queue;
}

}  // namespace tw::cuda
