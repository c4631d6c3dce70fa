#include "engine/runtime/package/bound_steps.h"

namespace tw::package {

DeviceAddress Memory::address(Buffer const& buffer) const {
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

Result<std::vector<BoundSteps::Call>> BoundSteps::bind_all(std::vector<Step> const& steps,
                                                           KernelLibrary& library) const {
  std::vector<Call> calls;
  for (Step const& step : steps) {
    Call call{&step, nullptr, {}, {}};
    if (step.kind == StepKind::kKernel) {
      TRY_ASSIGN(call.kernel, library.find(step.symbol));
    }
    for (Body const& body : step.bodies) {
      TRY_ASSIGN(std::vector<Call> inner, bind_all(body.steps, library));
      call.bodies.push_back(std::move(inner));
    }
    calls.push_back(std::move(call));
  }
  return calls;
}

Result<BoundSteps> BoundSteps::bind(std::vector<Step> const& steps, KernelLibrary& library,
                                    Processor& processor, Memory memory) {
  BoundSteps bound(processor, std::move(memory));
  TRY_ASSIGN(bound.calls_, bound.bind_all(steps, library));
  bound.place(bound.calls_);
  return bound;
}

void BoundSteps::use(Memory memory) {
  memory_ = std::move(memory);
  place(calls_);
}

void BoundSteps::place(std::vector<Call>& calls) const {
  for (Call& call : calls) {
    call.buffers.clear();
    for (Buffer const& buffer : call.step->buffers) call.buffers.push_back(memory_.address(buffer));
    call.buffers.push_back(memory_.workspace);
    for (std::vector<Call>& body : call.bodies) place(body);
  }
}

Status BoundSteps::run_all(std::vector<Call> const& calls, CallKernel const& call_kernel) const {
  for (Call const& call : calls) {
    if (call.step->kind == StepKind::kIf) {
      TRY(run_body(call, holds(call.step->condition) ? 0 : 1, call_kernel));
    } else if (call.step->kind == StepKind::kLoop) {
      TRY(run_loop(call, call_kernel));
    } else {
      TRY(call_kernel(call.step->symbol, call.kernel, call.buffers));
    }
  }
  return {};
}

}  // namespace tw::package
