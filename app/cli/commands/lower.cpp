#include <fmt/format.h>

#include "app/cli/assembly_output.h"
#include "app/cli/chosen_kernel.h"
#include "engine/session/views/schedule_views.h"
#include "engine/support/base/quantities.h"

namespace tw::cli::command_lower {
namespace {

struct Arguments {
  KernelArguments kernel;
  std::string stage = "program";
  std::string target;  ///< empty: this machine
  std::vector<std::string> without;
  bool verify = false, passes = false, open = false;
  AssemblyArguments assembly;
};

/// What the environment says, and what this command adds to it.
LowerOptions options_of(Arguments const& arguments) {
  LowerOptions options = environment_lower_options();
  options.off.insert(options.off.end(), arguments.without.begin(), arguments.without.end());
  if (arguments.verify) options.verify = VerifyPasses::kEach;
  return options;
}

int list_stages(Context const& context) {
  Json rows = Json::array();
  for (auto const& stage : session::code_stages(*context.backend)) {
    rows.push_back({{"stage", stage.key}, {"title", stage.title}, {"why", stage.why}});
    if (!context.json)
      fmt::print("{:<24} {}\n", stage.key, stage.why.empty() ? stage.title : stage.why);
  }
  if (context.json) print(rows);
  return 0;
}

std::string changes_of(session::PassRun const& run) {
  if (run.added == 0 && run.removed == 0) return run.key == "program" ? "" : "none";
  return fmt::format("+{} -{}", run.added, run.removed);
}

std::string promises_of(session::PassRun const& run) {
  std::string text = fmt::format("{}", fmt::join(run.gives, ", "));
  for (std::string const& name : run.gives_up)
    text += (text.empty() ? "invalidates " : ", invalidates ") + name;
  return text;
}

void print_text(std::vector<session::PassRun> const& runs, bool verified) {
  auto row = [&](auto const& pass, auto const& time, auto const& check, auto const& statements,
                 auto const& lines, auto const& holds) {
    fmt::print("{:<22} {:>9} ", pass, time);
    if (verified) fmt::print("{:>9} ", check);
    fmt::print("{:>11} {:>12}", statements, lines);
    fmt::print("{}{}\n", holds.empty() ? "" : "  ", holds);
  };
  row("pass", "time", "check", "statements", "lines", std::string("establishes"));
  for (session::PassRun const& run : runs)
    row(run.key,
        !run.ran               ? "left out"
        : run.key == "program" ? ""
                               : milliseconds_text(run.milliseconds),
        run.ran ? milliseconds_text(run.verify_milliseconds) : "", run.statements, changes_of(run),
        run.ran ? promises_of(run) : "");
}

int list_passes(Context const& context, ChosenKernel const& chosen, LowerOptions const& options) {
  auto runs =
      session::pass_runs(*chosen.model, chosen.kernel, chosen.script, *context.backend, options);
  if (!runs) return report(context, runs.error());
  if (!context.json) return print_text(*runs, options.verify == VerifyPasses::kEach), 0;
  Json rows = Json::array();
  for (session::PassRun const& run : *runs)
    rows.push_back({{"pass", run.key},
                    {"ran", run.ran},
                    {"ms", run.milliseconds},
                    {"verify_ms", run.verify_milliseconds},
                    {"statements", run.statements},
                    {"lines_added", run.added},
                    {"lines_removed", run.removed},
                    {"gives", run.gives},
                    {"gives_up", run.gives_up}});
  print(rows);
  return 0;
}

/// A stage that comes before all passes needs none of them: what was asked of them is done anyway.
Status run_passes(Context const& context, ChosenKernel const& chosen, std::string const& stage,
                  LowerOptions const& options) {
  bool before = stage == session::kExpressionStage || stage == session::kProgramStage;
  bool asked = !options.off.empty() || options.verify == VerifyPasses::kEach || options.observe;
  if (!before || !asked) return {};
  TRY(session::pass_runs(*chosen.model, chosen.kernel, chosen.script, *context.backend, options));
  return {};
}

int print_primitives(Context const& context, ChosenKernel const& chosen) {
  auto text =
      session::script_in_primitives(*chosen.model, chosen.kernel, chosen.script, *context.backend);
  if (!text) return report(context, text.error());
  fmt::print("{}", *text);
  return 0;
}

int lower(Context context, Arguments const& arguments) {
  if (!arguments.target.empty()) {
    auto backend = context.exports.backend_for(arguments.target);
    if (!backend) return report(context, backend.error());
    context.backend = *backend;
  }
  auto chosen = choose_expanded(context, arguments.kernel);
  if (!chosen) return report(context, chosen.error());
  chosen->script.open = arguments.open;
  if (arguments.stage == "script") return fmt::print("{}", chosen->script.text), 0;
  if (arguments.stage == "primitives") return print_primitives(context, *chosen);
  if (arguments.stage == "list") return list_stages(context);
  LowerOptions options = options_of(arguments);
  if (arguments.passes) return list_passes(context, *chosen, options);
  if (arguments.assembly.asked()) {
    if (arguments.stage == "assembly")
      return print_assembly(context, *chosen, arguments.assembly, options);
    return report(context, bad_input("unusable_arguments",
                                     "--syntax, --hide and --mca are for --stage assembly alone")
                               .error());
  }
  if (Status fit = run_passes(context, *chosen, arguments.stage, options); !fit)
    return report(context, fit.error());
  auto text = session::lower_kernel(*chosen->model, chosen->kernel, chosen->script, arguments.stage,
                                    *context.backend, options);
  if (!text) return report(context, text.error());
  std::string all;
  for (auto const& line : text->lines) all += line.text + "\n";
  if (context.json)
    print({{"stage", arguments.stage}, {"title", text->title}, {"text", all}});
  else
    fmt::print("{}", all);
  return 0;
}

void add_lower(Command app, Context& context) {
  auto command = app.add_subcommand(
      "lower", "print a kernel's program after any pass, and its code as the target shows it");
  auto arguments = std::make_shared<Arguments>();
  add_kernel_options(command, context, arguments->kernel);
  command
      .add_option("--stage", arguments->stage,
                  "a stage's name, 'list' for all names, 'script' for the schedule itself, "
                  "'primitives' for it without macros (default: program)")
      .type_name("STAGE");
  command
      .add_option("--target", arguments->target,
                  "the machine to generate code for, as `tw export` lists them (default: this one)")
      .type_name("TARGET");
  command.add_flag("--symbolic", arguments->open,
                   "keep sizes symbolic: the program and the code for all their values");
  command.add_flag("--passes", arguments->passes,
                   "instead: show what each pass changed, its time, and the invariants that it "
                   "establishes or invalidates");
  command
      .add_option(
          "--without", arguments->without,
          "leave a pass out, if the passes after it do not need it; may be given several times")
      .type_name("PASS")
      .allow_extra_args(false);
  command.add_option("--syntax", arguments->assembly.syntax, "of assembly: att or intel")
      .type_name("SYNTAX")
      .one_of({"att", "intel"});
  command
      .add_option("--hide", arguments->assembly.hide,
                  "of assembly: directives, or unreferenced labels; may be given twice")
      .type_name("WHAT")
      .allow_extra_args(false)
      .one_of({"directives", "labels"});
  command.add_flag("--mca", arguments->assembly.model,
                   "of assembly: cycles of each line of the hot loop as LLVM models the "
                   "processor, and how busy its ports are");
  command.add_flag(
      "--verify", arguments->verify,
      "check the kernel before and after every pass, and the invariants that the pass guarantees");
  command.callback([&context, arguments] {
    context.run = [&context, arguments] { return lower(context, *arguments); };
  });
}

}  // namespace

CommandRow const& row() {
  static CommandRow const row{.place = 50, .add = add_lower};
  return row;
}

}  // namespace tw::cli::command_lower
