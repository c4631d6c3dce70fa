#include "tests/targets/scratchpad/compiler/instructions.h"

#include "engine/ir/parse_call.h"

namespace tw::scratchpad {
namespace {

constexpr char kGemm[] =
    "intrinsic gemm(update c: f32[16, 16] @pad, read a: f32[16, 16] @inputs, "
    "read b: f32[16, 16] @weights) needs tile = 16\n"
    "  for i in 16\n"
    "    for j in 16\n"
    "      for k in 16\n"
    "        c[i, j] = c[i, j]+a[i, k]*b[k, j]\n";
constexpr char kMma[] =
    "intrinsic mma(update c: f32[4, 4] @pad, read a: f32[4, 4] @pad, read b: f32[4, 4] @pad) "
    "needs tile = 4\n"
    "  for i in 4\n"
    "    for j in 4\n"
    "      for k in 4\n"
    "        c[i, j] = c[i, j]+a[i, k]*b[k, j]\n";
constexpr char kLoad[] =
    "intrinsic load(scalar n: i64, scalar m: i64, write to: f32[n, m], "
    "read from: f32[n, m] @global) async\n"
    "  for i in n\n"
    "    for j in m\n"
    "      to[i, j] = from[i, j]\n";
constexpr char kStore[] =
    "intrinsic store(scalar n: i64, scalar m: i64, write to: f32[n, m] @global, "
    "read from: f32[n, m] @pad)\n"
    "  for i in n\n"
    "    for j in m\n"
    "      to[i, j] = from[i, j]\n";
constexpr char kClear[] =
    "intrinsic clear(scalar n: i64, scalar m: i64, write to: f32[n, m])\n"
    "  for i in n\n"
    "    for j in m\n"
    "      to[i, j] = 0.0\n";
constexpr char kCopyF32[] =
    "intrinsic copy_f32(scalar n: i64, write to: f32[n], read from: f32[n])\n"
    "  for i in n\n"
    "    to[i] = from[i]\n";
constexpr char kCopyI32[] =
    "intrinsic copy_i32(scalar n: i64, write to: i32[n], read from: i32[n])\n"
    "  for i in n\n"
    "    to[i] = from[i]\n";

ir::Intrinsic with_doc(char const* text, char const* doc) {
  ir::IntrinsicNode node = *ir::parse_intrinsic(text).value();
  node.doc = doc;
  return ir::declare(std::move(node)).value();
}

}  // namespace

ir::Intrinsic set_tile() {
  return with_doc("intrinsic set_tile(scalar n: i64) sets tile = n\n",
                  "the matrix unit takes tiles of n x n elements from now on");
}

std::vector<TensorIntrinsic> instructions() {
  return {
      {with_doc(kGemm, "the matrix unit: a product of 16 x 16 elements is added"), {1, 1, 1}},
      {with_doc(kMma, "the small matrix unit: a product of 4 x 4 elements is added")},
      {with_doc(kLoad, "rows from main memory, while others compute"), {0, 0, 1, 1}},
      {with_doc(kStore, "rows to main memory"), {0, 0, 1, 1}},
      {with_doc(kClear, "rows become 0"), {0, 0, 1}},
      {with_doc(kCopyF32, "a run of elements, from one memory to another")},
      {with_doc(kCopyI32, "a run of elements, from one memory to another")},
  };
}

std::string copy_of(DType type) {
  if (type == DType::kF32) return "copy_f32";
  return type == DType::kI32 ? "copy_i32" : "";
}

ir::Intrinsic commit_copies() {
  return ir::declare({.name = "commit_copies",
                      .doc = "the loads that were started are a group",
                      .completion = ir::Completion::kCommits})
      .value();
}

ir::Intrinsic wait_copies() {
  return ir::declare({.name = "wait_copies",
                      .doc = "until at most n groups are under way",
                      .params = {ir::scalar_param("n")},
                      .completion = ir::Completion::kWaits})
      .value();
}

}  // namespace tw::scratchpad
