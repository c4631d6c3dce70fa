// A macro of a user's own, beside those of the program, taken on a small kernel with its targets.
#include "engine/ir/text.h"
#include "engine/schedule/macros/expansion.h"
#include "engine/te/te.h"
#include "tests/fuzz/target.h"

using namespace tw;

namespace {

constexpr size_t kMostSteps = 24;  // each step may double a program

Schedule const& plain_schedule() {
  static Schedule const schedule(te::to_program(te::parse_kernel("tilewright te 1\n"
                                                                 "kernel matmul(A: f32[6, 8], B: "
                                                                 "f32[8, 10]) -> C\n"
                                                                 "  C[i in 6, j in 10] = sum[k in "
                                                                 "8] A[i, k] * B[k, j]\n")
                                                    .value())
                                     .value());
  return schedule;
}

/// The macro as a step on the block and the loops of the kernel, with the least of each number.
Step step_of(Macro const& macro) {
  static char const* const kLoops[] = {"C.i", "C.j", "C.k"};
  Step step{macro.head.name, {}, {}, {}};
  size_t loop = 0;
  for (TargetKind kind : macro.head.kinds)
    step.targets.emplace_back(kind == TargetKind::kBlock ? "C" : kLoops[loop++ % 3]);
  for (Parameter const& parameter : macro.head.parameters)
    if (!parameter.preset && !parameter.optional) {
      if (!parameter.choices.empty())
        step.arguments[parameter.name] = parameter.choices.front();
      else if (parameter.word)
        step.arguments[parameter.name] = std::string("B");
      else
        step.arguments[parameter.name] = parameter.low;
    }
  return step;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(uint8_t const* data, size_t size) {
  std::string text(fuzz::text_of(data, size));
  auto macro = parse_macro(text, "fuzz.twm");
  if (!macro) {
    fuzz::check_sentence(macro.error());
    return 0;
  }
  auto again = parse_macro(to_text(*macro), "again");
  TW_ASSERT(again.has_value(), "a macro survives its text");
  TW_ASSERT(to_text(*again) == to_text(*macro), "a macro says the same again");
  std::vector<MacroSource> sources{{"fuzz.twm", text}};
  for (MacroSource& source : builtin_macros()) sources.push_back(std::move(source));
  MacroSet set(sources);
  for (Error const& error : set.errors()) fuzz::check_sentence(error);
  Macro const* usable = set.find(macro->head.name);
  if (!usable || usable->body.size() > kMostSteps) return 0;
  auto done = apply_macro(plain_schedule(), *usable, step_of(*usable), set);
  if (!done) {
    TW_ASSERT(!done.error().message.empty() && !done.error().code.empty(), "a refusal is told");
    return 0;
  }
  ++fuzz::accepted;
  TW_ASSERT(ir::parse_program(ir::to_text(done->program())).has_value(),
            "a scheduled program is well formed and survives its text");
  return 0;
}
