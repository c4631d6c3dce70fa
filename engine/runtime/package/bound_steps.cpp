#include "engine/runtime/package/bound_steps.h"

namespace tw::package {

MemoryPlace Memory::address(Buffer const& buffer) const {
  switch (buffer.region) {
    case Region::kNothing:
      return {};
    case Region::kInput:
      return inputs[size_t(buffer.at)];
    case Region::kOutput:
      return outputs[size_t(buffer.at)];
    case Region::kParameters:
      return parameters + buffer.at;
    case Region::kArena:
      return arena + buffer.at;
  }
  return {};
}

Result<std::vector<BoundSteps::Call>> BoundSteps::bind_all(std::vector<Step> const& steps) const {
  std::vector<Call> calls;
  for (Step const& step : steps) {
    Call call{&step, nullptr, {}, {}, {}};
    if (step.kind == StepKind::kKernel) {
      KernelLibrary* library = place_of(call).library;
      if (library == nullptr)
        return bad_input("symbol_not_found", "there is no library for the kernel " + step.symbol);
      TRY_ASSIGN(call.kernel, library->find(step.symbol));
    }
    for (Body const& body : step.bodies) {
      TRY_ASSIGN(std::vector<Call> inner, bind_all(body.steps));
      call.bodies.push_back(std::move(inner));
    }
    calls.push_back(std::move(call));
  }
  return calls;
}

Result<BoundSteps> BoundSteps::bind(std::vector<Step> const& steps, std::vector<PlaceOf> places) {
  BoundSteps bound(std::move(places));
  TRY_ASSIGN(bound.calls_, bound.bind_all(steps));
  bound.place(bound.calls_);
  return bound;
}

void BoundSteps::use(Memory memory) {
  places_.front().memory = std::move(memory);
  place(calls_);
}

void BoundSteps::place(std::vector<Call>& calls) const {
  for (Call& call : calls) {
    if (call.step->kind == StepKind::kCopy) continue;  // its buffers lie at two places
    Memory const& memory = place_of(call).memory;
    call.buffers.clear();
    call.sequence.reset();
    for (Buffer const& buffer : call.step->buffers) call.buffers.push_back(memory.address(buffer));
    call.buffers.push_back(memory.workspace);
    for (std::vector<Call>& body : call.bodies) place(body);
  }
}

Status BoundSteps::run_all(std::vector<Call> const& calls, CallKernel const& call_kernel) const {
  for (size_t i = 0; i < calls.size(); ++i) {
    Call const& call = calls[i];
    switch (call.step->kind) {
      case StepKind::kIf:
        TRY(run_if(call, call_kernel));
        break;
      case StepKind::kLoop:
        TRY(run_loop(call, call_kernel));
        break;
      case StepKind::kCopy:
        copy_across(*call.step);
        break;
      case StepKind::kKernel: {
        size_t end = i + 1;
        while (end < calls.size() && calls[end].step->kind == StepKind::kKernel &&
               calls[end].step->place == call.step->place)
          ++end;
        TRY(run_sequence(std::span(calls).subspan(i, end - i), call_kernel));
        i = end - 1;
      }
    }
  }
  return {};
}

/// Kernels of one processor, with nothing in between.
Status BoundSteps::run_sequence(std::span<Call const> calls, CallKernel const& call_kernel) const {
  DeviceRuntime& processor = *place_of(calls[0]).processor;
  if (calls[0].sequence) {
    if (processor.start(*calls[0].sequence) == 0) return {};
    if (auto failure = processor.take_failure()) return std::unexpected(std::move(*failure));
    return refused("kernel_failed", "kernels that are started together could not be");
  }
  bool several = calls.size() > 1;
  if (several) processor.begin_sequence();
  Status done;
  for (size_t i = 0; i < calls.size() && done; ++i)
    done = call_kernel(processor, calls[i].step->symbol, calls[i].kernel, calls[i].buffers);
  if (!several) return done;
  std::unique_ptr<CallSequence> kept = processor.end_sequence();
  if (done) calls[0].sequence = std::move(kept);
  return done;
}

/// Through this process' memory, unless one of both lies there.
void BoundSteps::copy_across(Step const& step) const {
  PlaceOf const &from = places_[size_t(step.from)], &to = places_[size_t(step.place)];
  MemoryPlace source = from.memory.address(step.buffers[0]);
  MemoryPlace target = to.memory.address(step.buffers[1]);
  auto bytes = size_t(step.buffers[1].bytes);
  if (void* here = to.processor->host_address(target))
    return from.processor->read({static_cast<std::byte*>(here), bytes}, source);
  // A processor in whose memory this process loads and stores is done when its calls return.
  if (void* here = from.processor->host_address(source))
    return to.processor->write(target, {static_cast<std::byte const*>(here), bytes});
  std::vector<std::byte> between(bytes);
  from.processor->read(between, source);
  to.processor->write(target, between);
}

}  // namespace tw::package
