#include <fmt/format.h>

#include "app/cli/output.h"

namespace tw::cli::command_verify {
namespace {

using Outcome = session::VerifiedSet::Outcome;
constexpr char const* kOutcomes[] = {"passed", "FAILED", "skipped"};

/// A folder with nothing to verify is a slip: all sets of it would have passed.
Status check_folders(std::vector<std::string> const& folders) {
  for (std::string const& folder : folders) {
    bool any = false;
    std::error_code ignored;
    for (auto const& entry : std::filesystem::directory_iterator(folder, ignored))
      any = any || entry.path().filename().string().starts_with("test_data_set_");
    if (!any)
      return bad_input("nothing_to_verify", "has no test_data_set_N folder beside a model.onnx",
                       Place{folder, 0, 0, {}});
  }
  return {};
}

std::string summary(int const (&counts)[3], int told) {
  std::string text = fmt::format("{} passed", counts[0]);
  if (told > 0)
    text += fmt::format(" ({} of them compiled for inputs that were known beforehand)", told);
  return text + fmt::format(", {} failed, {} skipped\n", counts[1], counts[2]);
}

int verify(Context const& context, std::vector<std::string> const& folders,
           session::KnownInputs known) {
  if (Status status = check_folders(folders); !status) return report(context, status.error());
  auto device = context.open_device();
  if (!device) return report(context, device.error());
  int counts[3] = {0, 0, 0}, told = 0;
  Json rows = Json::array();
  for (std::string const& folder : folders)
    for (auto const& set : session::verify_folder(folder, *context.backend, **device,
                                                  {.threads = context.threads, .known = known})) {
      ++counts[size_t(set.outcome)];
      told += set.outcome == Outcome::kPassed && !set.known.empty();
      if (context.json)
        rows.push_back({{"model", set.model},
                        {"set", set.set},
                        {"outcome", kOutcomes[size_t(set.outcome)]},
                        {"reason", set.reason},
                        {"known_inputs", set.known},
                        {"max_abs_diff", set.max_abs_diff},
                        {"max_abs_ref", set.max_abs_ref}});
      else if (!set.reason.empty())
        fmt::print("{} {}: {}: {}\n", set.model, set.set, kOutcomes[size_t(set.outcome)],
                   set.reason);
      else
        fmt::print("{} {}: {}, largest difference {:.3g}, largest value {:.3g}{}\n", set.model,
                   set.set, kOutcomes[size_t(set.outcome)], set.max_abs_diff, set.max_abs_ref,
                   set.known.empty()
                       ? ""
                       : fmt::format(" (compiled for the given {})", fmt::join(set.known, ", ")));
    }
  if (context.json)
    print({{"sets", rows},
           {"passed", counts[0]},
           {"passed_with_known_inputs", told},
           {"failed", counts[1]},
           {"skipped", counts[2]}});
  else
    fmt::print("{}", summary(counts, told));
  return counts[size_t(Outcome::kFailed)] > 0 ? 1 : 0;
}

void add_verify(Command app, Context& context) {
  auto command = app.add_subcommand(
      "verify", "run models on their stored inputs and compare with their stored outputs");
  auto folders = std::make_shared<std::vector<std::string>>();
  command.add_option("DIR", *folders, "folders with model.onnx and test_data_set_N")
      .required()
      .existing_folder();
  auto keep = std::make_shared<bool>(false);
  command.add_flag("--no-known-inputs", *keep,
                   "do not give the compiler the elements of inputs: shapes and axes that are "
                   "inputs are then known only when the model runs");
  add_device_option(command, context);
  add_threads_option(command, context);
  command.callback([&context, folders, keep] {
    context.run = [&context, folders, keep] {
      return verify(context, *folders,
                    *keep ? session::KnownInputs::kKeep : session::KnownInputs::kTell);
    };
  });
}

}  // namespace

CommandRow const& row() {
  static CommandRow const row{.place = 120, .add = add_verify};
  return row;
}

}  // namespace tw::cli::command_verify
