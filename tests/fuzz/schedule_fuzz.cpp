// A schedule script, replayed on the small kernel that its `for` line names.
#include "engine/ir/text.h"
#include "engine/schedule/open_script.h"
#include "engine/schedule/trace.h"
#include "engine/te/te.h"
#include "tests/fuzz/target.h"

using namespace tw;

namespace {

constexpr size_t kMostSteps = 24;  // each step may double a program

constexpr char const* kKernels[] = {
    "kernel matmul(A: f32[6, 8], B: f32[8, 10]) -> C\n"
    "  C[i in 6, j in 10] = sum[k in 8] A[i, k] * B[k, j]\n",
    "kernel conv(X: f32[1, 4, 6, 6], W: f32[8, 4, 3, 3], B: f32[8]) -> Y\n"
    "  pad[n in 1, c in 4, y in 8, x in 8] = select(1 <= y && y < 7 && 1 <= x && x < 7, X[n, c, "
    "y-1, x-1], 0)\n"
    "  conv[n in 1, o in 8, y in 6, x in 6] = sum[c in 4, r in 3, s in 3] pad[n, c, y+r, x+s] * "
    "W[o, c, r, s]\n"
    "  Y[n in 1, o in 8, y in 6, x in 6] = max(conv[n, o, y, x] + B[o], 0)\n",
    "kernel scan(X: f32[6, 5]) -> H\n"
    "  H[scan t in 6, j in 5]: f32 = X[t, j] + select(1 <= t, H[t-1, j], 0)\n",
    "kernel cell(X: f32[5, 6], R: f32[6, 3]) -> H\n"
    "  p[scan t in 5, k in 3]: f32 = select(1 <= t, H[t-1, k], 0)\n"
    "  g[step t in 5, j in 6]: f32 = sum[k in 3] p[t, k] * R[j, k]\n"
    "  H[step t in 5, j in 3]: f32 = g[t, j] + g[t, j+3] * X[t, j]\n",
};

/// The kernel of that name, or the first one.
Schedule plain_schedule(std::string const& name) {
  static std::vector<Schedule> const plain = [] {
    std::vector<Schedule> list;
    for (std::string text : kKernels)
      list.emplace_back(
          te::to_program(te::parse_kernel("tilewright te 1\n" + text).value()).value());
    return list;
  }();
  for (Schedule const& schedule : plain)
    if (schedule.origin().name == name) return schedule;
  return plain.front();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(uint8_t const* data, size_t size) {
  auto open = OpenScript::parse(fuzz::text_of(data, size), "fuzz.schedule");
  if (!open) fuzz::check_sentence(open.error());
  auto script = parse_script(fuzz::text_of(data, size), "fuzz.schedule");
  if (!script) {
    fuzz::check_sentence(script.error());
    return 0;
  }
  std::vector<Step> steps;
  for (auto const& [line, step] : script->steps) steps.push_back(step);
  auto again = parse_script(to_script(script->kernel, steps));
  TW_ASSERT(again && again->steps.size() == steps.size(), "a script survives its text");
  for (size_t i = 0; i < steps.size(); ++i)
    TW_ASSERT(again->steps[i].second == steps[i], "a step survives its text");
  if (steps.size() > kMostSteps) return 0;
  auto done = replay(plain_schedule(script->kernel), *script);
  if (!done) return 0;
  ++fuzz::accepted;
  auto same = ir::parse_program(ir::to_text(done->program()));
  TW_ASSERT(same.has_value(), "a scheduled program is well formed and survives its text");
  return 0;
}
