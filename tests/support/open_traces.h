/// Random schedules of kernels whose extents are sizes.
#pragma once

#include <map>

#include "engine/schedule/open_sizes.h"
#include "engine/schedule/trace.h"
#include "engine/te/sizes.h"
#include "tests/support/open_kernels.h"
#include "tests/support/random_schedules.h"

namespace tw::testing {

struct OpenCounts {
  std::map<std::string, int> taken, refused;
};

inline te::Kernel open_kernel(int64_t number) {
  return parsed_kernel(kOpenKernels[size_t(number) % kOpenKernels.size()]).value();
}

inline Schedule open_schedule(te::Kernel const& kernel) {
  return Schedule(SizedProgram{te::to_open_program(kernel).value(), te::shown_values(kernel)});
}

/// Primitives that are taken while sizes are open: those that rewrite open programs, and those
/// whose programs for numbers are made one.
inline std::vector<Primitive const*> primitives_where_open() {
  std::vector<Primitive const*> some;
  for (Primitive const* one : primitive_table()) {
    bool numbers = one->open_sizes && !one->open_sizes->apply;
    if (!numbers && is_for(*one, *any_target())) some.push_back(one);
  }
  return some;
}

/// Few values, so that those of the kernel can be open, too.
inline Step random_split_by_size(ir::Program const& program, int number, Rng& rng) {
  auto loops = ir::loops_of(program.body);
  ir::For const& loop = *loops[size_t(rng.below(int64_t(loops.size())))].loop;
  int64_t extent = ir::as_int(loop.extent).value_or(1);
  int64_t low = rng.between(1, extent), high = rng.between(low, std::min(low + 4, extent));
  return {"split_by_size",
          {reference_of(program, loop.id)},
          {{"size", "T" + std::to_string(number)}, {"low", low}, {"high", high}},
          {}};
}

inline Schedule random_open_schedule(te::Kernel const& kernel, Rng& rng, OpenCounts& counts) {
  static std::vector<Primitive const*> const table = primitives_where_open();
  Schedule schedule = open_schedule(kernel);
  for (int64_t tries = rng.between(4, 24); tries > 0; --tries) {
    // What makes nests comes before what is chosen at random, and open programs are rewritten
    // often.
    Primitive const* chosen = table[size_t(rng.below(int64_t(table.size())))];
    if (rng.below(10) == 0) chosen = find_primitive("compute_at");
    while (!chosen->open_sizes && chosen->name != "compute_at" && rng.below(2) == 0)
      chosen = table[size_t(rng.below(int64_t(table.size())))];
    Primitive const& one = *chosen;
    bool opens = one.open_sizes && one.open_sizes->with_value;
    Step step = opens ? random_split_by_size(schedule.program(), int(tries), rng)
                      : propose_step(asked_program(schedule, one), rng, one, schedule.target());
    auto next = schedule.apply(step);
    ++(next ? counts.taken : counts.refused)[step.primitive];
    if (next) schedule = std::move(*next);
  }
  return schedule;
}

/// Values of a schedule's sizes, without those that steps opened: of its kernel.
inline std::vector<int64_t> of_kernel(te::Kernel const& kernel, std::vector<int64_t> values) {
  values.resize(kernel.sizes.size());
  return values;
}

/// The sizes, as code reads them, before the inputs.
inline std::vector<NDArray> with_sizes_first(std::vector<int64_t> const& values,
                                             std::vector<NDArray> const& inputs) {
  NDArray sizes = NDArray::create(DType::kI64, {int64_t(values.size())}).value();
  for (size_t i = 0; i < values.size(); ++i) sizes.set_value(int64_t(i), double(values[i]));
  std::vector<NDArray> all{sizes};
  all.insert(all.end(), inputs.begin(), inputs.end());
  return all;
}

}  // namespace tw::testing
