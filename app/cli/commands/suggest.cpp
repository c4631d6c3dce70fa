#include <fmt/format.h>

#include "app/cli/chosen_kernel.h"
#include "engine/session/cases/move_cases.h"
#include "engine/support/base/quantities.h"
#include "engine/support/files.h"

namespace tw::cli::command_suggest {
namespace {

struct SuggestArguments {
  KernelArguments kernel;
  moves::MovesWanted wanted;
  int follow = 0;
  std::string out;
};

void print_move(session::MoveView const& move) {
  fmt::print("{:>10}  {:>6}  {:<14} {}\n{:>34}{}\n", milliseconds_text(move.ms),
             number_text(move.gain) + "x", move.idea, move.effect, "", move.line);
}

void print_text(session::MovesView const& view) {
  fmt::print("{}\n\n{:>10}  {:>6}  {:<14} {}\n", view.sentence, "modelled", "gain", "suggestion",
             "");
  for (session::MoveView const& move : view.moves) print_move(move);
  fmt::print("\n{} of {} modelled suggestions", view.moves.size(), view.tried);
  if (!view.refused.empty()) fmt::print("; not legal: {}", fmt::join(view.refused, ", "));
  fmt::print("\n");
}

Json to_json(session::MoveView const& move) {
  return {{"steps", move.line}, {"idea", move.idea}, {"about", move.about}, {"effect", move.effect},
          {"ms", move.ms},      {"gain", move.gain}, {"bound", move.bound}};
}

Json to_json(session::MovesView const& view) {
  Json moves = Json::array();
  for (session::MoveView const& move : view.moves) moves.push_back(to_json(move));
  return {{"ms", view.ms},  {"bound", view.bound}, {"sentence", view.sentence},
          {"moves", moves}, {"tried", view.tried}, {"refused", view.refused}};
}

int follow(Context const& context, SuggestArguments const& arguments, ChosenKernel const& chosen,
           session::MachineView const& machine) {
  auto followed = session::follow_moves(*chosen.model, chosen.kernel, chosen.script, machine,
                                        *context.backend, arguments.follow);
  if (!followed) return report(context, followed.error());
  if (!arguments.out.empty())
    if (auto written = write_output(arguments.out, followed->script); !written)
      return report(context, written.error());
  if (context.json) {
    Json taken = Json::array();
    for (session::MoveView const& move : followed->taken) taken.push_back(to_json(move));
    print(Json{{"before_ms", followed->before_ms},
               {"after_ms", followed->after_ms},
               {"taken", taken},
               {"script", followed->script}});
    return 0;
  }
  for (session::MoveView const& move : followed->taken) print_move(move);
  fmt::print("\n{} -> {} modelled, by {}\n", milliseconds_text(followed->before_ms),
             milliseconds_text(followed->after_ms),
             count_text(int64_t(followed->taken.size()), "suggestion"));
  if (arguments.out.empty()) fmt::print("\n{}", followed->script);
  return 0;
}

int legal(Context const& context, SuggestArguments const& arguments) {
  auto chosen = choose_expanded(context, arguments.kernel);
  if (!chosen) return report(context, chosen.error());
  auto device = context.open_device();
  if (!device) return report(context, device.error());
  auto machine = session::machine_view(*context.backend, **device, context.cache_folder, true,
                                       false, {}, {}, context.device);
  if (!machine) return report(context, machine.error());
  if (arguments.follow > 0) return follow(context, arguments, *chosen, *machine);
  auto view = session::legal_moves(*chosen->model, chosen->kernel, chosen->script, *machine,
                                   *context.backend, arguments.wanted);
  if (!view) return report(context, view.error());
  if (context.json)
    print(to_json(*view));
  else
    print_text(*view);
  return 0;
}

void add_suggest(Command app, Context& context) {
  auto command = app.add_subcommand(
      "suggest", "list the legal next steps of a schedule, ranked by modelled speedup");
  auto arguments = std::make_shared<SuggestArguments>();
  add_kernel_options(command, context, arguments->kernel);
  add_device_option(command, context);
  command.add_option("--of", arguments->wanted.of, "only steps on this loop, block or tensor")
      .option_text("NAME");
  command.add_option("--most", arguments->wanted.most, "maximum number listed (default: 12)")
      .range(1, 1000)
      .option_text("N");
  command
      .add_option("--variants", arguments->wanted.variants,
                  "maximum number listed of one kind of step on one block or tensor, with "
                  "different arguments (default: 2; with --of: 6)")
      .range(1, 1000)
      .option_text("N");
  auto follow = command
                    .add_option("--follow", arguments->follow,
                                "instead: apply the first step so many times, while it has a "
                                "modelled gain, and print the script")
                    .range(1, 100)
                    .option_text("N");
  command.add_option("--out", arguments->out, "with --follow: the script's file")
      .option_text("FILE")
      .needs(follow);
  command.callback([&context, arguments] {
    context.run = [&context, arguments] { return legal(context, *arguments); };
  });
}

}  // namespace

CommandRow const& row() {
  static CommandRow const row{.place = 62, .add = add_suggest};
  return row;
}

}  // namespace tw::cli::command_suggest
