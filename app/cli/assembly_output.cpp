#include "app/cli/assembly_output.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/session/code_cases.h"
#include "engine/support/base/quantities.h"

namespace tw::cli {
namespace {

session::AssemblyLook look_of(AssemblyArguments const& arguments) {
  auto hidden = [&](char const* what) { return std::ranges::count(arguments.hide, what) > 0; };
  return {.intel = arguments.syntax == "intel",
          .directives = !hidden("directives"),
          .labels = !hidden("labels")};
}

/// The cycles of a line; empty: it is not in the hot loop.
std::string cost_text(session::AssemblyReport const& report, int32_t line) {
  auto cost = std::ranges::find(report.loop.lines, line, &LineCost::line);
  return cost == report.loop.lines.end() ? "" : fmt::format("{:.2f}", cost->cycles);
}

void print_model(session::AssemblyReport const& report) {
  fmt::print("\n{}\n", session::summary_of(report));
  LoopModel const& loop = report.loop;
  if (!report.hot || !loop.failure.empty()) return;
  fmt::print("{}\n", loop.bottleneck);
  fmt::print("{}\n", session::assumptions_of(report));
  fmt::print("lines {} to {}: {}, {}, {} of {} vector registers\n", report.hot->first + 1,
             report.hot->last + 1, count_text(loop.instructions, "instruction"),
             count_text(loop.operations, "micro-operation"), loop.vector_registers,
             loop.of_vector_registers);
  for (PortUse const& port : loop.ports)
    fmt::print("  {:<12} {:>8} cycles {:>6}\n", port.name, fmt::format("{:.2f}", port.cycles),
               percent_text(port.cycles / loop.cycles));
}

Json json_of(session::AssemblyReport const& report) {
  LoopModel const& loop = report.loop;
  Json model{{"summary", session::summary_of(report)}};
  if (!report.hot || !loop.failure.empty()) return model;
  model["processor"] = loop.processor;
  model["first_line"] = report.hot->first + 1;
  model["last_line"] = report.hot->last + 1;
  model["cycles"] = loop.cycles;
  model["instructions"] = loop.instructions;
  model["operations"] = loop.operations;
  model["vector_registers"] = loop.vector_registers;
  model["of_vector_registers"] = loop.of_vector_registers;
  model["bottleneck"] = loop.bottleneck;
  for (PortUse const& port : loop.ports)
    model["ports"].push_back({{"name", port.name}, {"cycles", port.cycles}});
  for (LineCost const& line : loop.lines)
    model["lines"].push_back({{"line", line.line + 1}, {"cycles", line.cycles}});
  return model;
}

}  // namespace

int print_assembly(Context const& context, ChosenKernel const& chosen,
                   AssemblyArguments const& arguments, LowerOptions const& options) {
  auto report = session::report_assembly(*chosen.model, chosen.kernel, chosen.script,
                                         *context.backend, options);
  if (!report) return cli::report(context, report.error());
  session::ShownAssembly shown =
      session::shown_assembly(report->text, &*report, look_of(arguments));
  std::string all;
  for (size_t i = 0; i < shown.lines.size(); ++i) {
    if (arguments.model && !context.json)
      all += fmt::format("{:>4} {:>6} ", shown.lines[i] + 1, cost_text(*report, shown.lines[i]));
    all += shown.text->lines[i].text + "\n";
  }
  if (context.json) {
    Json json{{"stage", report->text->stage}, {"title", report->text->title}, {"text", all}};
    if (arguments.model) json["model"] = json_of(*report);
    return print(json), 0;
  }
  fmt::print("{}", all);
  if (arguments.model) print_model(*report);
  return 0;
}

}  // namespace tw::cli
