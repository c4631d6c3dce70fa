#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "app/cli/output.h"
#include "engine/backend/backend.h"
#include "engine/ir/intrinsic.h"
#include "engine/ir/text.h"
#include "engine/schedule/primitive.h"

namespace tw::cli::command_help {
namespace {

/// More of them are listed apart, with what each does.
constexpr size_t kManyChoices = 12;

Json parameters_json(session::PrimitiveView const& primitive) {
  Json parameters = Json::array();
  for (auto const& p : primitive.parameters)
    parameters.push_back({{"name", p.name},
                          {"type", p.type},
                          {"doc", p.doc},
                          {"low", p.low},
                          {"high", p.high},
                          {"choices", p.choices}});
  return parameters;
}

void print_text(session::PrimitiveView const& primitive) {
  fmt::print("{} (key {})\n  {}\n", primitive.name, primitive.key, primitive.doc);
  if (!primitive.rewrite.empty()) fmt::print("  {}\n", primitive.rewrite);
  for (auto const& p : primitive.parameters) {
    fmt::print("  {}: {}\n", p.name, p.doc);
    if (!p.choices.empty() && p.choices.size() < kManyChoices)
      fmt::print("    {}\n", fmt::join(p.choices, ", "));
  }
  fmt::print("\n");
}

/// "C: i32[16], A: u8[4], B: i8[16, 4]"
std::string operands_of(ir::IntrinsicNode const& instruction) {
  std::string text;
  for (ir::IntrinsicParam const& param : instruction.params) {
    std::string extents;
    for (ir::Expr const& extent : param.buffer ? param.buffer->shape : std::vector<ir::Expr>())
      extents += (extents.empty() ? "" : ", ") + ir::to_text(extent);
    DType type = param.buffer ? param.buffer->type : param.var.type();
    text += fmt::format("{}{}: {}{}", text.empty() ? "" : ", ", param.name(), to_text(type),
                        param.buffer ? "[" + extents + "]" : "");
  }
  return text;
}

/// What `tensorize` and `annotate` can name, each with its sentence.
std::vector<std::pair<std::string, std::string>> instructions_of(Target const& target) {
  std::vector<std::pair<std::string, std::string>> rows;
  for (TensorIntrinsic const& one : target.intrinsics)
    rows.emplace_back(one.declaration->name, one.declaration->doc.empty()
                                                 ? operands_of(*one.declaration)
                                                 : one.declaration->doc);
  return rows;
}
std::vector<std::pair<std::string, std::string>> words_of(Target const& target) {
  std::vector<std::pair<std::string, std::string>> rows;
  for (AnnotationWord const& one : target.annotations) rows.emplace_back(one.name, one.doc);
  return rows;
}

/// Whether a primitive takes one of them.
bool takes_one_of(std::vector<session::PrimitiveView> const& primitives,
                  std::vector<std::pair<std::string, std::string>> const& rows) {
  for (session::PrimitiveView const& primitive : primitives)
    for (auto const& parameter : primitive.parameters)
      if (!rows.empty() &&
          std::ranges::find(parameter.choices, rows[0].first) != parameter.choices.end())
        return true;
  return false;
}

void print_named(std::string const& title,
                 std::vector<std::pair<std::string, std::string>> const& rows) {
  fmt::print("{}:\n", title);
  for (auto const& [name, doc] : rows) fmt::print("  {}: {}\n", name, doc);
  fmt::print("\n");
}

/// A step that other targets have is no unknown one.
int refuse(Context const& context, std::string const& name, Target const& target) {
  bool elsewhere = find_primitive(name) != nullptr;
  return report(context,
                Error{elsewhere ? "not_for_this_target" : "unknown_primitive",
                      elsewhere ? fmt::format("the target {} has nothing that '{}' could use",
                                              target.name, name)
                                : fmt::format("there is no primitive '{}'", name),
                      {},
                      Fault::kBadInput});
}

int primitives(Context const& context, std::string const& only) {
  Target const& target = context.backend ? context.backend->target() : *any_target();
  Json rows = Json::array();
  std::vector<session::PrimitiveView> shown = session::primitive_views(target);
  std::erase_if(shown, [&](auto const& one) { return !only.empty() && one.name != only; });
  for (session::PrimitiveView const& primitive : shown) {
    rows.push_back({{"name", primitive.name},
                    {"key", primitive.key},
                    {"doc", primitive.doc},
                    {"rewrite", primitive.rewrite},
                    {"parameters", parameters_json(primitive)}});
    if (!context.json) print_text(primitive);
  }
  if (rows.empty()) return refuse(context, only, target);
  if (context.json) {
    print(rows);
    return 0;
  }
  if (takes_one_of(shown, instructions_of(target)))
    print_named(fmt::format("instructions of {}", target.name), instructions_of(target));
  if (takes_one_of(shown, words_of(target)))
    print_named(fmt::format("annotations for loops and blocks of {}", target.name),
                words_of(target));
  return 0;
}

void add_help(Command app, Context& context) {
  auto command = app.add_subcommand(
      "primitives",
      "list the schedule primitives that a script can use, with the target's instructions");
  auto name = std::make_shared<std::string>();
  command.add_option("NAME", *name, "only this primitive");
  add_device_option(command, context);
  command.callback([&context, name] {
    context.needs_target = false;
    context.run = [&context, name] { return primitives(context, *name); };
  });
}

}  // namespace

CommandRow const& row() {
  static CommandRow const row{.place = 160, .add = add_help};
  return row;
}

}  // namespace tw::cli::command_help
