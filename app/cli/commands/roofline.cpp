#include <fmt/format.h>

#include "app/cli/output.h"
#include "engine/support/base/quantities.h"

namespace tw::cli {
namespace {

int roofline(Context const& context, bool again) {
  auto device = context.open_device();
  if (!device) return report(context, device.error());
  auto machine = session::machine_view(*context.backend, **device, context.cache_folder, true,
                                       again, {}, progress_of(context), context.device);
  end_progress(context);
  if (!machine) return report(context, machine.error());
  if (!machine->roofs_known)
    return report(context, bad_input("unknown_roofs", "the machine's roofs are not known").error());
  Json roofs = Json::array();
  if (!context.json) fmt::print("{}\n{}, {}\n", machine->name, machine->target, machine->detail);
  for (auto const& roof : machine->roofs) {
    roofs.push_back({{"name", roof.name},
                     {"kind", roof.compute ? "compute" : "bandwidth"},
                     {"value", roof.value},
                     {"unit", roof.compute ? "GFLOP/s" : "GB/s"},
                     {"cores", roof.cores}});
    if (!context.json)
      fmt::print("  {:<24} {:>13}, {}\n", roof.name,
                 speed_text(roof.value, roof.compute ? "GFLOP/s" : "GB/s"),
                 count_text(roof.cores, "core"));
  }
  if (context.json)
    print({{"machine", machine->name},
           {"target", machine->target},
           {"detail", machine->detail},
           {"roofs", roofs}});
  return 0;
}

void add_roofline(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand("roofline",
                                     "measure the roofs of this machine or another: peak "
                                     "arithmetic, and the bandwidth of each memory level");
  auto again = std::make_shared<bool>(false);
  add_device_option(*command, context);
  command->add_flag("--again", *again, "measure now, even if there are stored values");
  command->callback(
      [&context, again] { context.run = [&context, again] { return roofline(context, *again); }; });
}

}  // namespace

CommandRow const& command_roofline() {
  static CommandRow const row{.place = 130, .add = add_roofline};
  return row;
}

}  // namespace tw::cli
