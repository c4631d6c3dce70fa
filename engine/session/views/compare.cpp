#include "engine/session/views/compare.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/analysis/instructions.h"
#include "engine/compile/load_time.h"
#include "engine/ir/rewrite.h"
#include "engine/ir/strides.h"
#include "engine/session/views/roofline_views.h"
#include "engine/session/views/schedule_views.h"
#include "engine/support/base/quantities.h"
#include "engine/tensor/ndarray.h"

namespace tw::session {
namespace {

int64_t allocated(ir::Program const& program) {
  int64_t bytes = 0;
  ir::walk(program.body, [&](ir::Stmt const& s) {
    if (auto const* alloc = s.as<ir::Alloc>())
      bytes += int64_t(ir::elements_in_memory(*alloc->buffer).value_or(1)) *
               size_of(alloc->buffer->type);
    return true;
  });
  return bytes;
}

/// Instructions stand on lines of their own; what begins with a dot or a sign, or ends with a
/// colon, is none.
std::optional<int64_t> code_size(ir::Program const& program, Backend const& backend) {
  auto lowered = lower(program, backend.target(), backend.passes());
  if (!lowered) return std::nullopt;
  auto artifact = backend.compile(lowered->back().kernel, CodeTier::kFast, CodeTexts::kAll);
  if (!artifact) return std::nullopt;
  return artifact->instructions;
}

RooflinePoint point_of(StateToCompare const& side, double flops) {
  RooflinePoint point = roofline_point(*side.facts->model, flops);
  point.history_node = side.state.history_node;
  point.measured = side.min_ms.has_value();
  if (side.min_ms) point.gflops = operations_of(*side.facts->model, flops) / *side.min_ms / 1e6;
  point.label = side.state.name + " " + number_text(point.gflops);
  return point;
}

/// Rows of the table, in the order shown.
class Table {
public:
  Table(StateToCompare const& before, StateToCompare const& after)
      : before_(before), after_(after) {}

  template <typename Get>
  void row(std::string name, std::string unit, Better better, Get get) {
    std::optional<double> before = get(before_), after = get(after_);
    if (before || after)
      values.push_back({std::move(name), std::move(unit), before, after, better});
  }
  std::vector<ComparedValue> values;

private:
  StateToCompare const& before_;
  StateToCompare const& after_;
};

using Number = std::optional<double>;

void add_measured(Table& table, RunWork const& work) {
  table.row("measured time", "ms", Better::kLess,
            [](StateToCompare const& s) -> Number { return s.min_ms; });
  table.row("spread of the times", "%", Better::kLess,
            [](StateToCompare const& s) { return s.min_ms ? Number(s.spread * 100) : Number(); });
  char const* unit = work.integers ? "GOP/s" : "GFLOP/s";
  table.row("measured speed", unit, Better::kMore, [&](StateToCompare const& s) {
    return s.min_ms && work.flops > 0 ? Number(work.flops / *s.min_ms / 1e6) : Number();
  });
}

/// A row for each other device that one of the states was measured on.
void add_elsewhere(Table& table, StateToCompare const& before, StateToCompare const& after) {
  std::map<std::string, double> names = before.elsewhere_ms;
  names.insert(after.elsewhere_ms.begin(), after.elsewhere_ms.end());
  for (auto const& [name, any] : names)
    table.row(fmt::format("measured time on {}", name), "ms", Better::kLess,
              [&name](StateToCompare const& s) {
                auto known = s.elsewhere_ms.find(name);
                return known == s.elsewhere_ms.end() ? Number() : Number(known->second);
              });
}

void add_modelled(Table& table) {
  auto of_model = [](auto get) {
    return [get](StateToCompare const& s) {
      return s.facts->model ? Number(get(*s.facts->model)) : Number();
    };
  };
  table.row("modelled time", "ms", Better::kLess,
            of_model([](analysis::TimeModel const& m) { return m.seconds * 1e3; }));
  table.row("arithmetic, modelled", "ms", Better::kLess,
            of_model([](analysis::TimeModel const& m) { return m.arithmetic_seconds * 1e3; }));
  table.row("operations run", "FLOP", Better::kLess,
            of_model([](analysis::TimeModel const& m) { return m.flops; }));
}

void add_levels(Table& table, StateToCompare const& any) {
  if (!any.facts->model) return;
  for (size_t i = 0; i < any.facts->model->levels.size(); ++i)
    table.row(fmt::format("bytes from {}", any.facts->model->levels[i].name), "B", Better::kLess,
              [i](StateToCompare const& s) {
                return s.facts->model && i < s.facts->model->levels.size()
                           ? Number(s.facts->model->levels[i].bytes)
                           : Number();
              });
}

void add_facts(Table& table) {
  auto fact = [&](char const* name, char const* unit, Better better, auto member) {
    table.row(name, unit, better,
              [member](StateToCompare const& s) { return Number(double((*s.facts).*member)); });
  };
  fact("arithmetic instructions", "", Better::kLess, &StateFacts::arithmetic);
  fact("vector accesses", "", Better::kLess, &StateFacts::vector_accesses);
  fact("scalar accesses", "", Better::kLess, &StateFacts::scalar_accesses);
  table.row("instructions in the code", "", Better::kNeither, [](StateToCompare const& s) {
    return s.facts->code_instructions ? Number(double(*s.facts->code_instructions)) : Number();
  });
  fact("distinct bytes", "B", Better::kLess, &StateFacts::distinct_bytes);
  fact("intermediate tensors", "B", Better::kLess, &StateFacts::intermediate_bytes);
  fact("parallel tasks", "", Better::kNeither, &StateFacts::tasks);
}

std::string summary_of(StateToCompare const& before, StateToCompare const& after) {
  auto sentence = [](double from, double to, char const* by) {
    return fmt::format("{} by {}", speedup_text(from / to), by);
  };
  std::string text;
  if (before.min_ms && after.min_ms) text = sentence(*before.min_ms, *after.min_ms, "measurement");
  auto const &a = before.facts->model, &b = after.facts->model;
  if (a && b && a->seconds > 0 && b->seconds > 0)
    text += (text.empty() ? "" : ", ") + sentence(a->seconds, b->seconds, "the model");
  return text.empty() ? "their times are not known yet" : text;
}

CodeText script_text(std::string const& script) {
  CodeText text;
  text.stage = "script";
  for (size_t at = 0; at < script.size();) {
    size_t end = std::min(script.find('\n', at), script.size());
    CodeLine line;
    line.text = script.substr(at, end - at);
    text.lines.push_back(std::move(line));
    at = end + 1;
  }
  return text;
}

}  // namespace

StateFacts facts_of(ir::Program const& program, Roofs const* rates,
                    std::vector<int64_t> const& cache_bytes, Backend const& backend) {
  StateFacts facts;
  Hardware const& hardware = backend.target().hardware;
  ir::Program runs = split_load_time(program).at_run;
  analysis::Locality locality(runs, hardware.line_bytes());
  if (rates) facts.model = backend.model_time(runs, locality, *rates);
  int lanes = std::max(1, hardware.unit().vector_bytes / 4);
  for (ir::BlockSite const& site : ir::blocks_of(runs.body)) {
    analysis::Instructions one = analysis::instructions_of(site, lanes);
    facts.arithmetic += one.arithmetic;
    facts.vector_accesses += one.vector_accesses;
    facts.scalar_accesses += one.scalar_accesses;
    facts.tasks = std::max(facts.tasks, one.tasks);
  }
  facts.distinct_bytes = locality.whole().bytes;
  facts.distinct_exact = locality.whole().exact;
  facts.intermediate_bytes = allocated(runs);
  facts.code_instructions = code_size(runs, backend);
  facts.nest = std::make_shared<NestView const>(nest_view(program, cache_bytes, backend));
  return facts;
}

RunWork work_of(KernelTask const& task) {
  return {double(task.flops), te::computes_integers(task.kernel)};
}

StateComparison compare_states(StateToCompare const& before, StateToCompare const& after,
                               RunWork const& work, std::vector<RoofView> const& roofs) {
  StateComparison result{before.state, after.state, {}, {}, summary_of(before, after), {}};
  result.before.nest = before.facts->nest;
  result.after.nest = after.facts->nest;
  Table table(before, after);
  add_measured(table, work);
  add_elsewhere(table, before, after);
  add_modelled(table);
  add_levels(table, before);
  add_facts(table);
  result.values = std::move(table.values);
  result.script_changes =
      with_changes(script_text(after.state.script), script_text(before.state.script));
  result.script_changes.stage = "script";
  if (!before.facts->model || !after.facts->model) return result;
  for (RoofView const& roof : roofs)
    if (roof.name.find("one core") == std::string::npos) result.roofline.roofs.push_back(roof);
  for (StateToCompare const* side : {&before, &after})
    if (operations_of(*side->facts->model, work.flops) > 0)
      result.roofline.trail.push_back(point_of(*side, work.flops));
  if (!result.roofline.trail.empty()) result.roofline.trail.back().current = true;
  result.roofline.explanation =
      fmt::format("{}: {}; {}: {}", before.state.name, before.facts->model->bound, after.state.name,
                  after.facts->model->bound);
  return result;
}

StateComparison compare_trials(StateToCompare const& before, StateToCompare const& after,
                               RunWork const& work) {
  StateComparison result{before.state, after.state, {}, {}, "", {}};
  for (auto [side, into] : {std::pair{&before, &result.before}, {&after, &result.after}})
    if (side->facts) into->nest = side->facts->nest;
  Table table(before, after);
  add_measured(table, work);
  result.values = std::move(table.values);
  result.script_changes = script_text(after.state.script);
  result.summary = "the state was not measured on both devices";
  if (!before.min_ms || !after.min_ms) return result;
  result.summary =
      fmt::format("{} takes {}, {} {}: {} there", before.state.device,
                  milliseconds_text(*before.min_ms), after.state.device,
                  milliseconds_text(*after.min_ms), speedup_text(*before.min_ms / *after.min_ms));
  return result;
}

}  // namespace tw::session
