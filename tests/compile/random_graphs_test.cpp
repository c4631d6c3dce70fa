#include <QtTest>

#include <algorithm>
#include <cstring>
#include <map>

#include "engine/compile/cut.h"
#include "engine/compile/plan.h"
#include "engine/graph/pipeline.h"
#include "engine/ir/interpreter.h"
#include "tests/support/blocks_everywhere.h"

using namespace tw;

namespace {

constexpr uint64_t kSeed = 77;
constexpr int kGraphs = 1000;
constexpr int kWideEach = 10;  ///< one of so many graphs has many channels

Status interpret_kernel(KernelTask const& task, std::vector<NDArray> const& inputs,
                        std::vector<NDArray>& outputs) {
  TRY_ASSIGN(ir::Program program, te::to_program(task.kernel));
  TRY_ASSIGN(outputs, ir::interpret(program, inputs));
  return {};
}

NDArray random_array(Rng& rng, Shape const& shape) {
  NDArray array = NDArray::create(DType::kF32, shape).value();
  for (float& v : array.as<float>()) v = float(rng.normal());
  return array;
}

/// Random graphs over values of shape 1 x channels x 4 x 4: convolutions, normalizations, pools,
/// additions, moves; in wide ones mostly convolutions.
class RandomGraph {
public:
  RandomGraph(uint64_t seed, int64_t channels) : rng_(seed), channels_(channels) {
    graph_.name = "random";
    graph_.inputs = {graph_.add_value({"x", tensor_type(DType::kF32, shape()), {}})};
    usable_ = graph_.inputs;
  }

  Graph make() {
    for (int64_t i = rng_.between(3, 12); i > 0; --i) grow();
    graph_.outputs = {usable_.back()};
    if (rng_.below(3) == 0 && usable_.size() > 3)
      graph_.outputs.push_back(usable_[usable_.size() - 3]);
    return graph_;
  }

private:
  Shape shape() const { return {1, channels_, 4, 4}; }

  ValueId pick() {
    int64_t count = int64_t(usable_.size()), at = std::max(rng_.below(count), rng_.below(count));
    if (channels_ > 2) at = std::max(at, rng_.below(count));  // longer chains
    return usable_[size_t(at)];
  }

  ValueId constant(Shape const& shape, bool positive = false) {
    NDArray array = random_array(rng_, shape);
    for (float& v : array.as<float>())
      if (positive) v = std::fabs(v) + 0.5f;
    return graph_.add_value(
        {"c" + std::to_string(graph_.values.size()), tensor_type(DType::kF32, shape), array});
  }

  void add(char const* op, std::vector<ValueId> inputs, Attributes attributes = {}) {
    std::string name = op + std::to_string(graph_.nodes.size());
    ValueId out = graph_.add_value({name, tensor_type(DType::kF32, shape()), {}});
    graph_.nodes.push_back({name,
                            find_operator(op),
                            op,
                            std::move(attributes),
                            std::move(inputs),
                            {out},
                            {name},
                            {},
                            {}});
    usable_.push_back(out);
  }

  void grow() {
    using I = std::vector<int64_t>;
    int64_t c = channels_, kind = rng_.below(c > 2 ? 60 : 9);
    switch (kind < 9 ? kind : kind % 2) {
      case 0:
        if (rng_.below(3) == 0)
          return add("conv", {pick(), constant({c, c, 3, 3}), constant({c})},
                     {{"kernel", I{3, 3}}, {"pads", I{1, 1, 1, 1}}, {"group", int64_t(1)}});
        return add("conv", {pick(), constant({c, c, 1, 1}), constant({c})},
                   {{"kernel", I{1, 1}}, {"group", int64_t(1)}});
      case 1:
        return add("conv", {pick(), constant({c, 1, 3, 3})},
                   {{"kernel", I{3, 3}}, {"pads", I{1, 1, 1, 1}}, {"group", c}});
      case 2:
        return add("batch_norm",
                   {pick(), constant({c}), constant({c}), constant({c}), constant({c}, true)},
                   {{"epsilon", 1e-5}});
      case 3:
        return add("relu", {pick()});
      case 4:
        return add("add", {pick(), pick()});
      case 5:
        return add("mul", {pick(), rng_.below(2) ? pick() : constant({c, 1, 1})});
      case 6:
        return add("max_pool", {pick()}, {{"kernel", I{3, 3}}, {"pads", I{1, 1, 1, 1}}});
      case 7:
        return add("transpose", {pick()}, {{"order", I{0, 1, 3, 2}}});
      default:
        return add("identity", {pick()});
    }
  }

  Rng rng_;
  int64_t channels_;
  Graph graph_;
  std::vector<ValueId> usable_;
};

/// The memory of one place of a plan: an arena for what is planned, tensors of their own for the
/// rest.
class PlaceMemory {
public:
  explicit PlaceMemory(MemoryPlan const& plan) : plan_(plan), arena_(size_t(plan.arena_bytes)) {}
  void write(ValueId id, NDArray const& array) {
    if (Allocation const* at = plan_.find(id))
      std::memcpy(arena_.data() + at->offset, array.data(), size_t(array.byte_size()));
    else
      outside_[id] = array;
  }
  Result<NDArray> read(Graph const& graph, ValueId id) const {
    if (graph.value(id).is_constant()) return graph.value(id).constant;
    Allocation const* at = plan_.find(id);
    if (!at && !outside_.contains(id))
      return refused("not_here", graph.value(id).name + " is read where it never came");
    if (!at) return outside_.at(id);
    TRY_ASSIGN(NDArray copy, NDArray::create(DType::kF32, stored_info(graph.value(id))->shape));
    std::memcpy(copy.data(), arena_.data() + at->offset, size_t(copy.byte_size()));
    return copy;
  }

private:
  MemoryPlan const& plan_;
  std::vector<char> arena_;
  std::map<ValueId, NDArray> outside_;
};

/// Runs the plan with every planned tensor in its place's arena, as devices do: a tensor that is
/// overwritten while it still lives shows as a wrong output, and one that was not copied is not
/// there.
Result<std::vector<NDArray>> run_in_arenas(Graph const& graph, Plan const& plan, NDArray const& x) {
  std::vector<PlaceMemory> places;
  for (size_t p = 0; p < plan.places(); ++p) places.emplace_back(plan.memory_at(int(p)));
  places[0].write(graph.inputs[0], x);
  for (PlanStep const& step : plan.steps) {
    std::vector<NDArray> inputs, outputs;
    PlaceMemory& from = places[size_t(step.kind == StepKind::kCopy ? step.from : step.place)];
    for (ValueId id : step.inputs) {
      TRY_ASSIGN(NDArray input, from.read(graph, id));
      inputs.push_back(std::move(input));
    }
    if (step.kind != StepKind::kCopy) {
      if (step.kernel < 0) return refused("no_kernel", step.reason);
      TRY(interpret_kernel(plan.kernels[size_t(step.kernel)], inputs, outputs));
    }
    std::vector<NDArray> const& made = step.kind == StepKind::kCopy ? inputs : outputs;
    for (size_t i = 0; i < made.size(); ++i)
      places[size_t(step.place)].write(step.outputs[i], made[i]);
  }
  std::vector<NDArray> results;
  for (ValueId id : graph.outputs) {
    TRY_ASSIGN(NDArray result, places[0].read(graph, id));
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace

class RandomGraphsTest : public QObject {
  Q_OBJECT
private slots:
  void passes_and_kernels_keep_the_results_of_random_graphs() {
    int fused_edges = 0, kernels = 0, in_blocks = 0, changes = 0, products = 0, tiles = 0;
    for (uint64_t seed = kSeed; seed < kSeed + kGraphs; ++seed) {
      int64_t channels = seed % kWideEach == 0 ? 32 : 2;
      Graph graph = RandomGraph(seed, channels).make();
      auto context = [&](std::string const& what) {
        return "seed " + std::to_string(seed) + ": " + what + "\n" + to_text(graph);
      };
      int64_t block = channels > 2 ? 4 : 2;
      // Every second one by the layouts and algorithms of a target of its own.
      LayoutChooser choose;
      if (seed % 2 == 0)
        choose = [&](Graph const& one) { return testing::blocks_everywhere(one, block); };
      auto fused = optimize(graph, choose);
      QVERIFY2(fused.has_value(), context(fused ? "" : to_sentence(fused.error())).c_str());
      auto plan = make_plan(*fused);
      QVERIFY2(plan.has_value(), context(plan ? "" : to_sentence(plan.error())).c_str());
      Rng rng(seed);
      std::vector<NDArray> inputs{random_array(rng, {1, channels, 4, 4})};
      auto expected = reference_run(graph, inputs);
      auto actual = execute(*fused, *plan, inputs, interpret_kernel);
      QVERIFY2(expected && actual, context(actual ? "" : to_sentence(actual.error())).c_str());
      auto in_arena = run_in_arenas(*fused, *plan, inputs[0]);
      QVERIFY2(in_arena.has_value(),
               context(in_arena ? "" : to_sentence(in_arena.error())).c_str());
      for (size_t i = 0; i < expected->size(); ++i)
        QVERIFY2(compare((*in_arena)[i], (*expected)[i], 1e-4, 1e-5).equal,
                 context("output " + std::to_string(i) + " in the arena").c_str());
      for (size_t i = 0; i < expected->size(); ++i)
        QVERIFY2(compare((*actual)[i], (*expected)[i], 1e-4, 1e-5).equal,
                 context("output " + std::to_string(i)).c_str());
      for (EdgeDecision const& edge : fused->decisions) fused_edges += edge.fused;
      kernels += int(plan->kernels.size());
      in_blocks += std::ranges::any_of(fused->values, [](Value const& value) {
        return !value.is_constant() && !value.layout.is_plain();
      });
      for (Node const& node : fused->nodes) {
        changes += node.type == "change_layout";
        products += node.algorithm == "im2col";
        tiles += node.type == "winograd_output";
      }
    }
    qInfo(
        "%d graphs, %d fused edges, %d kernels, %d graphs with blocks of channels, %d changes of "
        "layout, %d convolutions as products, %d by transformed tiles",
        kGraphs, fused_edges, kernels, in_blocks, changes, products, tiles);
    QVERIFY(fused_edges > kGraphs / 2);
    QVERIFY(in_blocks > kGraphs / 5 && changes > kGraphs / 5 && products > kGraphs / 50 &&
            tiles > kGraphs / 50);
  }

  /// Edges chosen by chance, against the rule or with it: whatever is fused computes the same.
  void fusion_as_somebody_chose_keeps_the_results_of_random_graphs() {
    std::map<std::string, int> rules;  // of edges that were chosen
    for (uint64_t seed = kSeed; seed < kSeed + kGraphs; ++seed) {
      Graph graph = RandomGraph(seed, 2).make();
      Rng rng(seed + 7);
      Graph by_rule = optimize(graph).value();
      FusionChoices choices;
      for (EdgeDecision const& edge : by_rule.decisions)
        if (!edge.fixed && rng.below(2) == 0) choices[edge.edge] = rng.below(4) > 0;
      auto context = [&](std::string what) {
        for (auto const& [edge, together] : choices)
          what += "\n" + edge + (together ? " together" : " apart");
        return "seed " + std::to_string(seed) + ": " + what + "\n" + to_text(graph);
      };
      auto chosen = optimize(graph, PassChoices(LayoutChooser(), choices));
      // Kernels that are full are refused with their reason.
      if (!chosen && chosen.error().code == "cannot_fuse") {
        ++rules["full"];
        continue;
      }
      QVERIFY2(chosen, context(chosen ? "" : to_sentence(chosen.error())).c_str());
      auto plan = make_plan(*chosen);
      QVERIFY2(plan, context(plan ? "" : to_sentence(plan.error())).c_str());
      NDArray x = random_array(rng, {1, 2, 4, 4});
      auto expected = reference_run(graph, {x});
      auto actual = run_in_arenas(*chosen, *plan, x);
      QVERIFY2(expected && actual, context(actual ? "" : to_sentence(actual.error())).c_str());
      for (size_t i = 0; i < expected->size(); ++i)
        QVERIFY2(compare((*actual)[i], (*expected)[i], 1e-4, 1e-5).equal,
                 context("output " + std::to_string(i)).c_str());
      for (EdgeDecision const& edge : chosen->decisions) {
        auto choice = choices.find(edge.edge);
        if (choice == choices.end()) continue;
        QVERIFY2(edge.fused == choice->second, context(edge.edge + " is not as chosen").c_str());
        if (edge.chosen)
          ++rules[edge.reason.find("once more") < edge.reason.size() ? "again" : edge.rule];
      }
    }
    for (auto const& [rule, count] : rules) qInfo("%s: %d edges", rule.c_str(), count);
    for (char const* rule : {"again", "together", "apart"}) QVERIFY(rules[rule] > kGraphs / 10);
  }

  /// Points given one after another, and one moved there and back, make the same cut; empty: so it
  /// is.
  static std::string told_one_by_one(Graph const& graph, Plan const& whole, Cut const& cut) {
    auto places = [&](Cut const& one) {
      std::string text;
      Plan plan = cut_plan(graph, whole, one).value();
      for (PlanStep const& step : plan.steps) text += one.places[size_t(step.place)] + " ";
      return text;
    };
    Cut built{{cut.places[0]}, {}};
    for (CutPoint const& point : cut.points) built = with_point(graph, whole, built, point).value();
    if (places(built) != places(cut)) return places(built) + "is not " + places(cut);
    if (built.points.empty()) return "";
    CutPoint last = built.points.back();
    std::string free;
    for (Group const& group : graph.groups) free = graph.node(group.anchor).name;
    if (free == last.node) return "";
    Cut moved = with_point_moved(graph, whole, built, last.node, free).value();
    if (moved.points.back().place != last.place || moved.points.back().node != free)
      return "the last point did not move to " + free;
    Cut back = with_point_moved(graph, whole, moved, free, last.node).value();
    return places(back) == places(built) ? "" : places(back) + "is not " + places(built);
  }

  /// Cut at random steps into up to three places.
  void cuts_of_random_graphs_keep_the_results() {
    constexpr char const* kPlaces[] = {"here", "there", "yonder"};
    int copies = 0, twice = 0, changes = 0;
    for (uint64_t seed = kSeed; seed < kSeed + kGraphs / 2; ++seed) {
      Graph graph = RandomGraph(seed, 2).make();
      Graph fused = optimize(graph).value();
      Plan whole = make_plan(fused).value();
      Rng rng(seed + 1);
      std::vector<std::string> points;
      for (Group const& group : fused.groups)
        if (rng.below(3) == 0)
          points.push_back(fused.node(group.anchor).name + "@" + kPlaces[rng.below(3)]);
      Cut cut = parse_cut(points, kPlaces[0]).value();
      Plan plan = cut_plan(fused, whole, cut).value();
      if (std::string told = told_one_by_one(fused, whole, cut); !told.empty())
        QFAIL(("seed " + std::to_string(seed) + ": " + told).c_str());
      NDArray x = random_array(rng, {1, 2, 4, 4});
      auto expected = reference_run(graph, {x}).value();
      auto actual = run_in_arenas(fused, plan, x);
      std::string context = "seed " + std::to_string(seed) + "\n" + to_text(fused, plan);
      QVERIFY2(actual, (context + (actual ? "" : to_sentence(actual.error()))).c_str());
      for (size_t i = 0; i < expected.size(); ++i)
        QVERIFY2(compare((*actual)[i], expected[i], 1e-4, 1e-5).equal, context.c_str());
      for (PlanStep const& step : plan.steps) {
        copies += step.kind == StepKind::kCopy;
        if (step.kernel >= 0) QCOMPARE(plan.kernels[size_t(step.kernel)].place, step.place);
      }
      // Scripts are given by the numbers that kernels had before.
      for (size_t k = 0; k < whole.kernels.size(); ++k)
        QCOMPARE(plan.kernels[k].name, whole.kernels[k].name);
      changes += plan.places() > 1;
      twice += plan.kernels.size() > whole.kernels.size();
    }
    qInfo("%d graphs at several places, %d copies, in %d of them a kernel runs at two places",
          changes, copies, twice);
    QVERIFY(changes > kGraphs / 5 && copies > kGraphs / 2 && twice > 0);
  }

  void a_cut_that_cannot_be_is_refused() {
    Graph fused = optimize(RandomGraph(kSeed, 2).make()).value();
    Plan plan = make_plan(fused).value();
    auto code = [&](std::vector<std::string> points) {
      auto cut = parse_cut(points, "here");
      auto result = cut ? cut_plan(fused, plan, *cut) : std::unexpected(cut.error());
      return QString::fromStdString(result ? "" : result.error().code);
    };
    QCOMPARE(code({"nobody@there"}), QString("unknown_node"));
    QCOMPARE(code({"x"}), QString("bad_cut"));
    QCOMPARE(code({"@there"}), QString("bad_cut"));
    QCOMPARE(code({"x@"}), QString("bad_cut"));
    QCOMPARE(code({}), QString());
    QCOMPARE(to_text(fused, cut_plan(fused, plan, parse_cut({}, "").value()).value()).substr(0, 17),
             to_text(fused, plan).substr(0, 17));
  }
};

QTEST_GUILESS_MAIN(RandomGraphsTest)
#include "random_graphs_test.moc"
