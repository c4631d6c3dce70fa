#include <fmt/format.h>

#include "app/cli/chosen_kernel.h"

#include <algorithm>
#include <optional>

#include "engine/schedule/trace.h"
#include "engine/session/cases/size_cases.h"
#include "engine/support/files.h"

namespace tw::cli {

void add_kernel_option(Command command, std::string& kernel) {
  command
      .add_option(
          "--kernel", kernel,
          "the kernel's name or number (default: the kernel that the script names, else the first)")
      .type_name("KERNEL");
}

void add_kernel_options(Command command, Context& context, KernelArguments& arguments) {
  add_model_options(command, context, arguments.path);
  add_kernel_option(command, arguments.kernel);
  auto script = command
                    .add_option("--script", arguments.script,
                                "a schedule script, or 'plain', or 'default' (default: plain)")
                    .type_name("F.tws");
  command
      .add_flag_callback(
          "--default", [&arguments] { arguments.script = "default"; },
          "use the default schedule: short for --script default")
      .excludes(script);
}

Result<session::NamedScript> named_script(Context const& context, session::LoadedModel const& model,
                                          int kernel, std::string const& word) {
  if (word.empty() || word == "plain") return session::NamedScript{"plain", ""};
  if (word == "default") {
    TRY_ASSIGN(std::string rules, session::default_script(model, kernel, *context.backend));
    return session::NamedScript{word, rules};
  }
  TRY_ASSIGN(std::string text, read_text(word, 1 << 20));
  return session::NamedScript{word, text};
}

Result<std::optional<int>> kernel_named_by(Context const& context,
                                           session::LoadedModel const& model,
                                           session::NamedScript const& script) {
  if (script.text.empty()) return std::nullopt;
  TRY_ASSIGN(Script parsed, parse_script(script.text, script.name, false, context.macros.get()));
  auto const rows = session::kernel_table(model).rows;
  auto row = std::ranges::find(rows, parsed.kernel, &session::KernelRow::name);
  if (row == rows.end()) return std::nullopt;
  return int(row - rows.begin());
}

Result<ChosenKernel> choose_kernel(Context const& context, KernelArguments const& arguments) {
  ChosenKernel chosen;
  TRY_ASSIGN(auto sizes, sizes_of(context));
  bool is_file =
      !arguments.script.empty() && arguments.script != "plain" && arguments.script != "default";
  if (is_file && !sizes.empty()) {
    std::map<std::string, int64_t> const given = sizes;
    TRY_ASSIGN(std::string text, read_text(arguments.script, 1 << 20));
    TRY_ASSIGN(chosen.script.text,
               session::script_showing({arguments.script, text}, context.macros.get(), sizes));
    for (auto const& [name, value] : given)
      if (!sizes.contains(name)) chosen.sizes[name] = value;
  }
  Context loading = context;  // what the script does not open is the kernel's
  loading.sizes.clear();
  for (auto const& [name, value] : sizes)
    loading.sizes.push_back(fmt::format("{}={}", name, value));
  chosen.shown = !sizes.empty();
  TRY_ASSIGN(chosen.model, load(loading, arguments.path));
  TRY_ASSIGN(chosen.kernel, session::find_kernel(*chosen.model, arguments.kernel));
  std::string showing = chosen.script.text;
  TRY_ASSIGN(chosen.script, named_script(context, *chosen.model, chosen.kernel, arguments.script));
  if (!showing.empty()) chosen.script.text = showing;
  if (arguments.kernel.empty()) {
    TRY_ASSIGN(std::optional<int> named, kernel_named_by(context, *chosen.model, chosen.script));
    chosen.kernel = named.value_or(chosen.kernel);
  }
  return chosen;
}

Result<ChosenKernel> choose_expanded(Context const& context, KernelArguments const& arguments) {
  TRY_ASSIGN(ChosenKernel chosen, choose_kernel(context, arguments));
  TRY_ASSIGN(chosen.script, without_macros(context, *chosen.model, chosen.kernel, chosen.script));
  return chosen;
}

Result<session::NamedScript> without_macros(Context const& context,
                                            session::LoadedModel const& model, int kernel,
                                            session::NamedScript script) {
  TRY_ASSIGN(script.text,
             session::without_macros(model, kernel, script, *context.backend, *context.macros));
  return script;
}

Result<session::NamedScript> expanded_script(Context const& context,
                                             session::LoadedModel const& model, int kernel,
                                             std::string const& word) {
  TRY_ASSIGN(session::NamedScript script, named_script(context, model, kernel, word));
  return without_macros(context, model, kernel, script);
}

Result<Point> pinned_of(std::vector<std::string> const& pins) {
  Point point;
  for (std::string const& pin : pins) {
    size_t equals = pin.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == pin.size())
      return bad_input("bad_pin", fmt::format("--pin takes KNOB=VALUE, not '{}'", pin));
    point[pin.substr(0, equals)] = pin.substr(equals + 1);
  }
  return point;
}

}  // namespace tw::cli
