// A kernel of a model, tuned.
#include <thread>

#include "engine/session/model/kernel_reference.h"
#include "engine/session/use_cases.h"

namespace tw::session {

Result<std::vector<Knob>> knobs_of(LoadedModel const& model, int kernel,
                                   std::shared_ptr<Backend const> backend) {
  TRY_ASSIGN(ir::Program program, plain_program(model, kernel));
  TRY_ASSIGN(Candidate rule, Space(std::move(program), std::move(backend)).by_rule());
  return std::move(rule.knobs);
}

Result<TuneResult> tune_kernel(LoadedModel const& model, int kernel, TuneRequest const& request,
                               std::shared_ptr<Backend const> backend, Device& device,
                               Progress const& progress) {
  TRY_ASSIGN(ir::Program program, plain_program(model, kernel));
  Space space(std::move(program), backend, request.pinned);
  TRY(space.by_rule());
  TRY_ASSIGN(KernelReference reference,
             kernel_reference(model, kernel, *backend, device, request.options.stop, progress));
  TuneOptions options = request.options;
  if (options.threads <= 0) options.threads = backend->target().hardware.unit().count;
  options.overlap = !request.here || options.threads < int(std::thread::hardware_concurrency());
  return tune(space, device, std::move(reference.inputs), reference.expected, options);
}

}  // namespace tw::session
