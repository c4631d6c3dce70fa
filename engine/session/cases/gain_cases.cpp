#include "engine/session/cases/gain_cases.h"

#include "engine/compile/kernel_code.h"
#include "engine/session/model/kernel_reference.h"
#include "engine/session/model/loaded_model.h"
#include "engine/session/views/gain_views.h"

namespace tw::session {

Result<AblationView> ablate_script(LoadedModel const& model, int kernel, NamedScript const& script,
                                   Backend const& backend, Device& device, int threads,
                                   StopToken stop, Progress const& progress) {
  TRY_ASSIGN(ir::Program plain, plain_program(model, kernel));
  if (script.text.empty())
    return bad_input("nothing_to_leave_out", "the unscheduled loop nest has no steps to leave out");
  TRY_ASSIGN(Schedule whole, schedule_of(plain, &script.text, backend));
  TRY_ASSIGN(std::vector<LeftOut> steps, left_out(whole, backend.shared_target(), stop));
  TRY_ASSIGN(KernelReference reference,
             kernel_reference(model, kernel, backend, device, stop, progress));
  KernelBench bench(device, plain, std::move(reference.inputs));
  AblationOptions options{.threads = threads, .stop = stop, .progress = progress};
  if (threads <= 0) options.threads = backend.target().hardware.unit().count;
  TRY_ASSIGN(StepAblation found,
             ablate(whole, std::move(steps), backend, bench, reference.expected, options));
  AblationView view;
  view.kernel = model.kernel(kernel).name;
  view.title = script.name;
  view.row = kernel;
  view.goes_on = false;
  view.parts = parts_of(found.steps);
  fill_shares(view.parts);
  view.ms = found.seconds * 1e3;
  if (found.rule_seconds > 0) view.default_ms = found.rule_seconds * 1e3;
  return view;
}

}  // namespace tw::session
