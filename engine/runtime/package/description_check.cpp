#include "engine/runtime/package/description_parts.h"

namespace tw::package {
namespace {

std::unexpected<Error> bad(std::string what) {
  return bad_input("bad_package", "the description is not valid: " + what);
}

/// A buffer must lie inside of its region, and may take no more than is there.
Status check(Buffer const& buffer, Description const& whole) {
  auto of_tensors = [&](std::vector<Tensor> const& tensors) {
    return size_t(buffer.at) < tensors.size() && buffer.bytes <= tensors[size_t(buffer.at)].bytes;
  };
  auto of_bytes = [&](int64_t size) {
    return buffer.at % 64 == 0 && buffer.bytes <= size && buffer.at <= size - buffer.bytes;
  };
  bool fits = buffer.region == Region::kNothing      ? buffer.at == 0 && buffer.bytes == 0
              : buffer.region == Region::kInput      ? of_tensors(whole.inputs)
              : buffer.region == Region::kOutput     ? of_tensors(whole.outputs)
              : buffer.region == Region::kParameters ? of_bytes(whole.parameters.bytes)
                                                     : of_bytes(whole.arena_bytes);
  if (fits) return {};
  return bad("the buffer " + text_of(buffer) + " lies outside of its region");
}

bool is_absent(Buffer const& buffer) { return buffer.region == Region::kNothing; }

/// Where a step of the runtime's own writes: never over an input or a weight.
Status check_target(Buffer const& buffer, Description const& whole) {
  TRY(check(buffer, whole));
  if (buffer.region == Region::kArena || buffer.region == Region::kOutput) return {};
  return bad("nothing is written to the buffer " + text_of(buffer));
}

/// A single number of `bytes`, or nothing.
Status check_number(Buffer const& buffer, int64_t bytes, Description const& whole) {
  TRY(check(buffer, whole));
  if (is_absent(buffer) || buffer.bytes == bytes) return {};
  return bad("the buffer " + text_of(buffer) + " is no single number");
}

Status check(std::vector<Copy> const& copies, Description const& whole) {
  for (Copy const& copy : copies) {
    TRY(check(copy.from, whole));
    TRY(check_target(copy.to, whole));
    if (is_absent(copy.from) || copy.from.bytes != copy.to.bytes)
      return bad("the buffer " + text_of(copy.from) + " cannot be copied to " + text_of(copy.to));
  }
  return {};
}

Status check(Row const& row, Description const& whole) {
  TRY(check(row.all, whole));
  TRY(check(row.row, whole));
  bool fits = row.outer >= 1 && !is_absent(row.all) && !is_absent(row.row) && row.row.bytes > 0 &&
              row.row.bytes % row.outer == 0 && row.all.bytes % row.row.bytes == 0;
  if (fits) return {};
  return bad("the buffer " + text_of(row.row) + " is no row of " + text_of(row.all));
}

Status check(Loop const& loop, Description const& whole) {
  TRY(check_number(loop.most, 8, whole));
  TRY(check_number(loop.number, 8, whole));
  if (!is_absent(loop.number)) TRY(check_target(loop.number, whole));
  TRY(check_number(loop.next, 1, whole));
  TRY(check(loop.begin, whole));
  TRY(check(loop.end, whole));
  for (Row const& row : loop.taken) {
    TRY(check(row, whole));
    TRY(check_target(row.row, whole));
  }
  for (Row const& row : loop.given) {
    TRY(check(row, whole));
    TRY(check_target(row.all, whole));
  }
  return {};
}

Status check(Step const& step, Description const& whole) {
  for (Buffer const& buffer : step.buffers) TRY(check(buffer, whole));
  if (step.kind == StepKind::kKernel) return {};
  TRY(check_number(step.condition, 1, whole));
  if (step.kind == StepKind::kIf && is_absent(step.condition)) return bad("an If has no condition");
  if (step.bodies.size() != (step.kind == StepKind::kIf ? 2 : 1))
    return bad("an If has two bodies, a loop has one");
  TRY(check(step.loop, whole));
  for (Body const& body : step.bodies) {
    if (!body.refuses.empty() && !body.steps.empty())
      return bad("a body that cannot be run has steps");
    TRY(check(body.copies, whole));
    for (Step const& inner : body.steps) TRY(check(inner, whole));
  }
  return {};
}

}  // namespace

Status check(Description const& whole) {
  for (Step const& step : whole.steps) TRY(check(step, whole));
  if (whole.results.size() != whole.outputs.size()) return bad("not every output has a place");
  for (size_t i = 0; i < whole.results.size(); ++i) {
    TRY(check(whole.results[i], whole));
    if (whole.results[i].region == Region::kNothing ||
        whole.results[i].bytes != whole.outputs[i].bytes)
      return bad("the output '" + whole.outputs[i].name + "' has no place of its size");
  }
  return {};
}

}  // namespace tw::package
