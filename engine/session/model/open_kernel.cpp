#include "engine/session/model/open_kernel.h"

#include <algorithm>

#include "engine/compile/kernel_code.h"
#include "engine/te/sizes.h"

namespace tw::session {
namespace {

constexpr size_t kMostRuns = 16;

}  // namespace

Result<std::optional<te::Kernel>> open_kernel(LoadedModel const& model, int kernel) {
  using Open = std::optional<te::Kernel>;
  auto own = model.own.find(kernel);
  if (own == model.own.end()) return Open();
  TRY_ASSIGN(te::Kernel parsed, te::parse_kernel(own->second));
  return parsed.sizes.empty() ? Open() : Open(std::move(parsed));
}

Result<Schedule> first_schedule(LoadedModel const& model, int kernel, bool open,
                                Backend const& backend) {
  if (open) {
    TRY_ASSIGN(std::optional<te::Kernel> sized, open_kernel(model, kernel));
    if (sized) {
      TRY_ASSIGN(ir::Program program, te::to_open_program(*sized));
      return Schedule(SizedProgram{std::move(program), te::shown_values(*sized)},
                      backend.shared_target());
    }
  }
  TRY_ASSIGN(ir::Program plain, plain_program(model, kernel));
  return Schedule(std::move(plain), backend.shared_target());
}

Result<KernelCode> compile_open(SizedProgram const& program, Backend const& backend,
                                StopToken stop) {
  TRY_ASSIGN(std::vector<LoweredStage> stages,
             lower(program.program, backend.target(), backend.passes()));
  KernelCode code;
  TRY_ASSIGN(code.run,
             backend.compile(stages.back().kernel, CodeTier::kFull, CodeTexts::kNone, stop));
  return code;
}

std::vector<std::vector<int64_t>> values_to_run(ir::Program const& program,
                                                std::map<std::string, int64_t> const& only) {
  std::vector<std::vector<int64_t>> all = all_size_values(program);
  std::erase_if(all, [&](std::vector<int64_t> const& values) {
    for (size_t i = 0; i < values.size(); ++i) {
      auto one = only.find(program.sizes[i].var.to<ir::Variable>().name);
      if (one != only.end() && one->second != values[i]) return true;
    }
    return false;
  });
  if (all.size() <= kMostRuns) return all;
  std::vector<std::vector<int64_t>> some;
  for (size_t i = 0; i < kMostRuns; ++i)
    some.push_back(all[i * (all.size() - 1) / (kMostRuns - 1)]);
  return some;
}

}  // namespace tw::session
