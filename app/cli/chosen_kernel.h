/// What --kernel, --script and --default choose: one kernel of a model under one schedule.
#pragma once

#include "app/cli/output.h"

namespace tw::cli {

struct KernelArguments {
  std::string path, kernel;
  std::string script;  ///< a file, or "plain", or "default"; empty: plain
};
struct ChosenKernel {
  session::Model model;
  int kernel = 0;
  session::NamedScript script;
  bool shown = false;                         ///< --size gave a value to a size of the kernel's own
  std::map<std::string, int64_t> sizes = {};  ///< what it gave to those that the script opens
};

void add_kernel_option(Command command, std::string& kernel);
/// MODEL, --shape, --kernel, --script and --default.
void add_kernel_options(Command command, Context& context, KernelArguments& arguments);

/// A file's text, or one of the two schedules that every kernel has.
Result<session::NamedScript> named_script(Context const& context, session::LoadedModel const& model,
                                          int kernel, std::string const& word);
/// The kernel that a script's `for` line names, where the model has it.
Result<std::optional<int>> kernel_named_by(Context const& context,
                                           session::LoadedModel const& model,
                                           session::NamedScript const& script);
/// The same with the steps of its macros in their place. Errors: those of scripts, step_refused.
Result<session::NamedScript> without_macros(Context const& context,
                                            session::LoadedModel const& model, int kernel,
                                            session::NamedScript script);
/// Both.
Result<session::NamedScript> expanded_script(Context const& context,
                                             session::LoadedModel const& model, int kernel,
                                             std::string const& word);
/// Of what --pin says: "conv2d.vectors=2". Errors: bad_pin.
Result<Point> pinned_of(std::vector<std::string> const& pins);
/// Its script may use macros.
Result<ChosenKernel> choose_kernel(Context const& context, KernelArguments const& arguments);
/// Its script has the steps of macros in their place.
Result<ChosenKernel> choose_expanded(Context const& context, KernelArguments const& arguments);

}  // namespace tw::cli
