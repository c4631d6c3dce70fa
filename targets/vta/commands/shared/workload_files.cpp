#include "targets/vta/commands/shared/workload_files.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/session/model/loaded_model.h"
#include "targets/vta/compiler/vta_backend.h"
#include "targets/vta/hardware/description.h"

namespace tw::vta {
namespace {

bool multiplies_bytes(KernelTask const& task) {
  return std::ranges::find(task.operators, "conv_integer") != task.operators.end();
}

Status add_layers(Workload& workload, std::string const& source, Backend const& backend) {
  TRY_ASSIGN(session::Model model, session::load_model(source, {}, backend));
  size_t before = workload.layers.size();
  for (size_t row = 0; row < model->plan.kernels.size(); ++row) {
    KernelTask const& task = model->plan.kernels[row];
    if (!model->is_expression && !multiplies_bytes(task)) continue;
    workload.layers.push_back({task.name, task.count, session::plain_program(*model, int(row))});
    if (model->is_expression) break;
  }
  if (workload.layers.size() > before) return {};
  return bad_input("nothing_to_explore",
                   fmt::format("{} has no convolution of bytes: `tw quantize` makes an int8 model "
                               "of a float32 one",
                               model->name));
}

}  // namespace

WorkloadMaker workload_of(std::vector<std::string> sources) {
  return [sources = std::move(sources)](Configuration const& design) -> Result<Workload> {
    TRY_ASSIGN(auto backend, create_vta_backend(describe(design)));
    Workload workload;
    for (std::string const& source : sources) TRY(add_layers(workload, source, *backend));
    return workload;
  };
}

}  // namespace tw::vta
