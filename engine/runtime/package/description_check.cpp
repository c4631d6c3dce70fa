#include "engine/runtime/package/description_parts.h"

namespace tw::package {
namespace {

std::unexpected<Error> bad(std::string what) {
  return bad_input("bad_package", "the description is not valid: " + what);
}

/// What is checked, and the place where it runs.
struct Around {
  Description const& whole;
  int place = 0;
};

/// A buffer must lie inside of its region, and may take no more than is there. Inputs and outputs
/// are at place 0 only.
Status check(Buffer const& buffer, Around const& at) {
  auto of_tensors = [&](std::vector<Tensor> const& tensors) {
    return at.place == 0 && size_t(buffer.at) < tensors.size() &&
           buffer.bytes <= tensors[size_t(buffer.at)].bytes;
  };
  auto of_bytes = [&](int64_t size) {
    return buffer.at % 64 == 0 && buffer.bytes <= size && buffer.at <= size - buffer.bytes;
  };
  bool fits = buffer.region == Region::kNothing  ? buffer.at == 0 && buffer.bytes == 0
              : buffer.region == Region::kInput  ? of_tensors(at.whole.inputs)
              : buffer.region == Region::kOutput ? of_tensors(at.whole.outputs)
              : buffer.region == Region::kParameters
                  ? of_bytes(at.whole.parameters.bytes)
                  : of_bytes(at.whole.site(at.place).arena_bytes);
  if (fits) return {};
  return bad("the buffer " + text_of(buffer) + " is outside its region");
}

bool is_absent(Buffer const& buffer) { return buffer.region == Region::kNothing; }

/// Where a step of the runtime's own writes: never over an input or a weight.
Status check_target(Buffer const& buffer, Around const& at) {
  TRY(check(buffer, at));
  if (buffer.region == Region::kArena || buffer.region == Region::kOutput) return {};
  return bad("nothing is written to the buffer " + text_of(buffer));
}

/// A single number of `bytes`, or nothing.
Status check_number(Buffer const& buffer, int64_t bytes, Around const& at) {
  TRY(check(buffer, at));
  if (is_absent(buffer) || buffer.bytes == bytes) return {};
  return bad("the buffer " + text_of(buffer) + " is not a single number");
}

Status check(std::vector<Copy> const& copies, Around const& at) {
  for (Copy const& copy : copies) {
    TRY(check(copy.from, at));
    TRY(check_target(copy.to, at));
    if (is_absent(copy.from) || copy.from.bytes != copy.to.bytes)
      return bad("the buffer " + text_of(copy.from) + " cannot be copied to " + text_of(copy.to));
  }
  return {};
}

Status check(Row const& row, Around const& at) {
  TRY(check(row.all, at));
  TRY(check(row.row, at));
  bool fits = row.outer >= 1 && !is_absent(row.all) && !is_absent(row.row) && row.row.bytes > 0 &&
              row.row.bytes % row.outer == 0 && row.all.bytes % row.row.bytes == 0;
  if (fits) return {};
  return bad("the buffer " + text_of(row.row) + " is not a row of " + text_of(row.all));
}

Status check(Loop const& loop, Around const& at) {
  TRY(check_number(loop.most, 8, at));
  TRY(check_number(loop.number, 8, at));
  if (!is_absent(loop.number)) TRY(check_target(loop.number, at));
  TRY(check_number(loop.next, 1, at));
  TRY(check(loop.begin, at));
  TRY(check(loop.end, at));
  for (Row const& row : loop.taken) {
    TRY(check(row, at));
    TRY(check_target(row.row, at));
  }
  for (Row const& row : loop.given) {
    TRY(check(row, at));
    TRY(check_target(row.all, at));
  }
  return {};
}

/// A value goes from one place to another.
Status check_copy(Step const& step, Description const& whole) {
  if (step.from < 0 || size_t(step.from) > whole.elsewhere.size() || step.from == step.place ||
      step.buffers.size() != 2)
    return bad("a copy must be from one device to another, of one buffer");
  TRY(check(step.buffers[0], {whole, step.from}));
  TRY(check_target(step.buffers[1], {whole, step.place}));
  if (!is_absent(step.buffers[0]) && step.buffers[0].bytes == step.buffers[1].bytes) return {};
  return bad("the buffer " + text_of(step.buffers[0]) + " cannot be copied to " +
             text_of(step.buffers[1]));
}

/// `around`: with the place of the step that owns it.
Status check(Step const& step, Around const& around) {
  if (step.place < 0 || size_t(step.place) > around.whole.elsewhere.size())
    return bad("a step runs on device " + std::to_string(step.place) + ", which does not exist");
  Around at{around.whole, step.place};
  if (step.kind == StepKind::kCopy) return check_copy(step, at.whole);
  for (Buffer const& buffer : step.buffers) TRY(check(buffer, at));
  if (step.kind == StepKind::kKernel) return {};
  TRY(check_number(step.condition, 1, at));
  if (step.kind == StepKind::kIf && is_absent(step.condition)) return bad("an If has no condition");
  if (step.bodies.size() != (step.kind == StepKind::kIf ? 2 : 1))
    return bad("an If must have two bodies, and a loop one");
  TRY(check(step.loop, at));
  for (Body const& body : step.bodies) {
    if (!body.refuses.empty() && !body.steps.empty())
      return bad("a body that cannot be run has steps");
    TRY(check(body.copies, at));
    for (Step const& inner : body.steps) {
      if (inner.place != step.place) return bad("a body must run on the device of its step");
      TRY(check(inner, at));
    }
  }
  return {};
}

}  // namespace

Status check(Description const& whole) {
  for (Step const& step : whole.steps) TRY(check(step, Around{whole}));
  if (whole.results.size() != whole.outputs.size()) return bad("not every output has a buffer");
  for (size_t i = 0; i < whole.results.size(); ++i) {
    TRY(check(whole.results[i], Around{whole}));
    if (whole.results[i].region == Region::kNothing ||
        whole.results[i].bytes != whole.outputs[i].bytes)
      return bad("the output '" + whole.outputs[i].name + "' has no buffer of its size");
  }
  return {};
}

}  // namespace tw::package
