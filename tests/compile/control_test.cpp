#include "engine/graph/control.h"

#include <QtTest>

#include "engine/compile/plan.h"
#include "engine/graph/pipeline.h"
#include "engine/importers/bodies.h"
#include "engine/importers/from_foreign.h"
#include "engine/ir/interpreter.h"
#include "tests/support/line_models.h"

using namespace tw;
using tw::testing::model_of;

namespace {

using Lines = std::vector<std::string>;

QString sentence(auto const& result) {
  return result ? QString() : QString::fromStdString(to_sentence(result.error()));
}

NDArray numbers(DType type, Shape const& shape, std::vector<double> const& values) {
  NDArray array = NDArray::create(type, shape).value();
  for (size_t i = 0; i < values.size(); ++i) array.set_value(int64_t(i), values[i]);
  return array;
}
NDArray floats(std::vector<double> const& values) {
  return numbers(DType::kF32, {int64_t(values.size())}, values);
}
NDArray truth(bool value) { return numbers(DType::kBool, {}, {value ? 1.0 : 0.0}); }
NDArray count(int64_t value) { return numbers(DType::kI64, {}, {double(value)}); }

std::vector<double> elements(NDArray const& array) {
  std::vector<double> list;
  for (int64_t i = 0; i < array.size(); ++i) list.push_back(array.value_at(i));
  return list;
}

/// A graph of its own, without inputs.
ForeignBody body(Lines const& lines, Lines const& outputs) {
  ForeignGraph graph = model_of(lines, {}, outputs).graph;
  graph.inputs.clear();
  return std::make_shared<ForeignGraph const>(std::move(graph));
}

ForeignValue declared(std::string const& name, DType type, Shape const& shape) {
  ForeignValue value{name, ForeignKind::kTensor, type, std::vector<ForeignDim>()};
  for (int64_t extent : shape) value.dims->push_back({extent, ""});
  return value;
}

/// y = If c, on an input x of four elements, with c an input or a constant.
ImportedModel if_model(ForeignBody const& then, ForeignBody const& otherwise,
                       std::optional<bool> known = {}, Lines const& before = {}) {
  Lines lines = before;
  lines.push_back("y = If c");
  ImportedModel model = model_of(lines, {4});
  model.graph.nodes.back().attributes = {{"then_branch", then}, {"else_branch", otherwise}};
  if (known)
    model.graph.initializers["c"] = truth(*known);
  else
    model.graph.inputs.push_back(declared("c", DType::kBool, {}));
  return model;
}

ImportedModel relu_or_neg(std::optional<bool> known = {}) {
  return if_model(body({"n = Neg x", "r = Relu n"}, {"r"}), body({"n = Neg x"}, {"n"}), known);
}

Status interpret_kernel(KernelTask const& task, std::vector<NDArray> const& inputs,
                        std::vector<NDArray>& outputs) {
  TRY_ASSIGN(ir::Program program, te::to_program(task.kernel));
  TRY_ASSIGN(outputs, ir::interpret(program, inputs));
  return {};
}

/// Outputs by the reference, which the passes and the plan have to give, too.
Result<std::vector<NDArray>> run(ImportedModel const& model, std::vector<NDArray> const& inputs) {
  TRY_ASSIGN(Graph graph, build_graph(model));
  auto expected = reference_run(graph, inputs);
  TRY_ASSIGN(Graph optimized, optimize(graph));
  TRY_ASSIGN(Plan plan, make_plan(optimized));
  auto simplified = reference_run(optimized, inputs);
  auto planned = execute(optimized, plan, inputs, interpret_kernel);
  if (!expected) return expected;
  if (!simplified) return simplified;
  if (!planned) return planned;
  for (size_t i = 0; i < expected->size(); ++i)
    if ((*expected)[i].shape() != (*planned)[i].shape() ||
        elements((*expected)[i]) != elements((*simplified)[i]) ||
        elements((*expected)[i]) != elements((*planned)[i]))
      return bad_input("differs", "the plan gives other values than the reference");
  return expected;
}

/// A loop whose body takes the round i, the condition and a; "next", "a2" and "row" come out.
ImportedModel loop_model(Lines const& lines, Lines const& outputs, std::optional<int64_t> rounds) {
  ForeignGraph graph = model_of(lines, {}, outputs).graph;
  graph.inputs = {declared("i", DType::kI64, {}), declared("c", DType::kBool, {}),
                  declared("a", DType::kF32, {4})};
  ImportedModel model = model_of({"y,rows = Loop most go x"}, {4}, {"y", "rows"});
  if (outputs.size() < 3) {
    model.graph.nodes[0].outputs.pop_back();
    model.graph.outputs.pop_back();
  }
  model.graph.nodes[0].attributes["body"] = std::make_shared<ForeignGraph const>(std::move(graph));
  model.graph.initializers["go"] = truth(true);
  if (rounds)
    model.graph.initializers["most"] = count(*rounds);
  else
    model.graph.nodes[0].inputs[0] = "";
  return model;
}

}  // namespace

class ControlTest : public QObject {
  Q_OBJECT
private slots:
  void a_condition_that_is_known_puts_its_branch_in_place() {
    auto graph = build_graph(relu_or_neg(true));
    QVERIFY2(graph.has_value(), qPrintable(sentence(graph)));
    QCOMPARE(graph->nodes.size(), 2u);
    QCOMPARE(graph->nodes[1].type, std::string("relu"));
    QCOMPARE(graph->value(graph->outputs[0]).name, std::string("y"));
    QCOMPARE(graph->nodes[1].origins, (Lines{"r", "y"}));
    QCOMPARE(elements(run(relu_or_neg(true), {floats({-1, 2, -3, 4})}).value()[0]),
             (std::vector<double>{1, 0, 3, 0}));
    QCOMPARE(elements(run(relu_or_neg(false), {floats({-1, 2, -3, 4})}).value()[0]),
             (std::vector<double>{1, -2, 3, -4}));
  }

  void a_condition_of_known_shapes_is_known() {
    ImportedModel model =
        if_model(body({"r = Relu x"}, {"r"}), body({"r = Mystery x"}, {"r"}), std::nullopt,
                 {"shape = Shape x", "rank = Size shape", "c = Equal rank one"});
    model.graph.inputs.pop_back();
    model.graph.initializers["one"] = count(1);
    auto graph = build_graph(model);
    QVERIFY2(graph.has_value(), qPrintable(sentence(graph)));
    QVERIFY(graph->notes.empty());  // the other branch is not looked at
    QCOMPARE(graph->nodes.back().type, std::string("relu"));
  }

  void names_of_a_branch_in_place_stay_unique() {
    ImportedModel model = model_of({"n = Relu x", "a = If c", "b = If c", "y = Add a b"}, {4});
    for (size_t i : {1, 2})
      model.graph.nodes[i].attributes = {{"then_branch", body({"m = Neg n", "k = Exp m"}, {"k"})},
                                         {"else_branch", body({"m = Neg n"}, {"m"})}};
    model.graph.initializers["c"] = truth(true);
    auto graph = build_graph(model);
    QVERIFY2(graph.has_value(), qPrintable(sentence(graph)));
    std::set<std::string> names;
    for (Value const& value : graph->values)
      QVERIFY2(names.insert(value.name).second, value.name.c_str());
    QVERIFY(names.contains("m") && names.contains("m (2)"));
  }

  void a_branch_that_gives_what_it_captures_is_a_copy() {
    auto outputs = run(if_model(body({}, {"x"}), body({}, {"x"}), true), {floats({1, 2, 3, 4})});
    QVERIFY2(outputs.has_value(), qPrintable(sentence(outputs)));
    QCOMPARE(elements((*outputs)[0]), (std::vector<double>{1, 2, 3, 4}));
  }

  void a_condition_of_the_run_chooses_then() {
    auto graph = build_graph(relu_or_neg());
    QVERIFY2(graph.has_value(), qPrintable(sentence(graph)));
    QCOMPARE(graph->nodes.size(), 1u);
    QCOMPARE(graph->nodes[0].captured, 1);
    QCOMPARE(graph->value(graph->outputs[0]).shape(), Shape({4}));
    for (bool c : {true, false}) {
      auto outputs = run(relu_or_neg(), {floats({-1, 2, -3, 4}), truth(c)});
      QVERIFY2(outputs.has_value(), qPrintable(sentence(outputs)));
      QCOMPARE(elements((*outputs)[0]),
               c ? (std::vector<double>{1, 0, 3, 0}) : (std::vector<double>{1, -2, 3, -4}));
    }
  }

  void kernels_of_branches_are_called_after_them() {
    Graph graph = optimize(build_graph(relu_or_neg()).value()).value();
    Plan plan = make_plan(graph).value();
    QCOMPARE(plan.steps[0].kind, StepKind::kControl);
    Lines names;
    for (KernelTask const& task : plan.kernels) names.push_back(task.name);
    QCOMPARE(names, (Lines{"then_neg_4", "else_neg_4"}));
    QVERIFY(to_text(graph).find("\n    then 'line'") != std::string::npos ||
            to_text(graph).find("then '") != std::string::npos);
    QVERIFY(to_text(graph, plan).find("then_neg_4") != std::string::npos);
  }

  void branches_of_different_shapes_leave_the_extent_open_and_say_so() {
    ImportedModel model =
        if_model(body({"r = Relu x"}, {"r"}), body({"r = Concat x x"}, {"r"}), {});
    auto& otherwise = model.graph.nodes.back().attributes["else_branch"];
    ForeignGraph changed = *std::get<ForeignBody>(otherwise);
    changed.nodes[0].attributes["axis"] = int64_t(0);
    otherwise = std::make_shared<ForeignGraph const>(changed);
    model.graph.nodes.push_back({"z", "Neg", "", {"y"}, {"z"}, {}});
    model.graph.outputs[0].name = "z";
    auto graph = build_graph(model);
    QVERIFY2(graph.has_value(), qPrintable(sentence(graph)));
    QCOMPARE(QString::fromStdString(graph->notes.at(0)),
             QString("the output 'y' of node 'y' is f32[?] until it runs"));
    for (bool c : {true, false}) {
      auto outputs = run(model, {floats({1, 2, 3, 4}), truth(c)});
      QVERIFY2(outputs.has_value(), qPrintable(sentence(outputs)));
      QCOMPARE((*outputs)[0].shape(), Shape({c ? 4 : 8}));
      QCOMPARE((*outputs)[0].value_at(3), -4.0);
    }
  }

  void a_branch_that_cannot_be_run_matters_only_when_it_is_chosen() {
    ImportedModel unknown =
        if_model(body({"r = Relu x"}, {"r"}), body({"wild = Mystery x"}, {"wild"}));
    ImportedModel unfit = if_model(body({"r = Relu x"}, {"r"}), body({"m = MatMul x w"}, {"m"}));
    unfit.graph.initializers["w"] = numbers(DType::kF32, {3, 2}, {});
    for (ImportedModel const& model : {unknown, unfit}) {
      auto graph = build_graph(model);
      QVERIFY2(graph.has_value(), qPrintable(sentence(graph)));
      QCOMPARE(graph->value(graph->outputs[0]).shape(), Shape({4}));
      QVERIFY(run(model, {floats({-1, 2, -3, 4}), truth(true)}).has_value());
    }
    QCOMPARE(sentence(run(unknown, {floats({1, 2, 3, 4}), truth(false)})),
             QString("node wild: the operator Mystery is not supported"));
    QVERIFY(sentence(run(unfit, {floats({1, 2, 3, 4}), truth(false)})).startsWith("node m: "));
  }

  void values_are_captured_through_graphs_between() {
    ImportedModel inner = if_model(body({"a = Add x w"}, {"a"}), body({"b = Mul x s"}, {"b"}));
    ForeignGraph middle;
    middle.nodes = {inner.graph.nodes.back()};
    middle.outputs = inner.graph.outputs;
    ImportedModel model = model_of({"s = Exp x", "z = If d"}, {4}, {"z"});
    model.graph.nodes[1].attributes = {
        {"then_branch", std::make_shared<ForeignGraph const>(middle)},
        {"else_branch", body({"n = Neg x"}, {"n"})}};
    model.graph.initializers["w"] = floats({1, 1, 1, 1});
    for (char const* name : {"c", "d"})
      model.graph.inputs.push_back(declared(name, DType::kBool, {}));
    auto outputs = run(model, {floats({0, 1, 2, 3}), truth(true), truth(true)});
    QVERIFY2(outputs.has_value(), qPrintable(sentence(outputs)));
    QCOMPARE(elements((*outputs)[0]), (std::vector<double>{1, 2, 3, 4}));
    outputs = run(model, {floats({0, 1, 2, 3}), truth(false), truth(true)});
    QVERIFY2(outputs.has_value(), qPrintable(sentence(outputs)));
    QVERIFY(std::abs((*outputs)[0].value_at(1) - 2.71828) < 1e-4);
  }

  void names_that_nothing_makes_and_a_graph_that_reads_its_own_node_are_refused_by_name() {
    auto refused = [](Lines const& lines, Lines const& outputs) {
      return sentence(build_graph(if_model(body(lines, outputs), body({"n = Neg x"}, {"n"}))));
    };
    QCOMPARE(refused({"r = Relu nothing"}, {"r"}),
             QString("node r: it reads 'nothing', which nothing before it computes"));
    QCOMPARE(refused({"r = Relu y"}, {"r"}), QString("node y: it depends on its own result"));
    QCOMPARE(refused({}, {"y"}), QString("node y: it depends on its own result"));
    QCOMPARE(refused({"r = Relu x"}, {"r", "x"}),
             QString("node y: its branches give 2 and 1 values"));
    ImportedModel lacks = relu_or_neg();
    lacks.graph.nodes[0].attributes.erase("else_branch");
    QCOMPARE(build_graph(lacks)->nodes[0].reason, std::string("it has no graph 'else_branch'"));
  }

  void graphs_nested_too_deep_are_refused() {
    ForeignBody inner = body({"r = Relu x"}, {"r"});
    for (int i = 0; i < 40; ++i) {
      ForeignGraph around = if_model(inner, inner).graph;
      around.inputs.clear();
      inner = std::make_shared<ForeignGraph const>(std::move(around));
    }
    QCOMPARE(sentence(build_graph(if_model(inner, inner, true))),
             QString("node y: its graphs are nested deeper than 24"));
  }

  void a_loop_carries_and_gathers() {
    ImportedModel model =
        loop_model({"a2 = Add a a", "row = Neg a", "next = Identity c"}, {"next", "a2", "row"}, 3);
    auto graph = build_graph(model);
    QVERIFY2(graph.has_value(), qPrintable(sentence(graph)));
    QCOMPARE(graph->value(graph->outputs[0]).shape(), Shape({4}));
    QCOMPARE(graph->value(graph->outputs[1]).shape(), Shape({3, 4}));
    auto outputs = run(model, {floats({1, 2, 3, 4})});
    QVERIFY2(outputs.has_value(), qPrintable(sentence(outputs)));
    QCOMPARE(elements((*outputs)[0]), (std::vector<double>{8, 16, 24, 32}));
    QCOMPARE(elements((*outputs)[1]),
             (std::vector<double>{-1, -2, -3, -4, -2, -4, -6, -8, -4, -8, -12, -16}));
    auto none = run(
        loop_model({"a2 = Add a a", "row = Neg a", "next = Identity c"}, {"next", "a2", "row"}, 0),
        {floats({1, 2, 3, 4})});
    QVERIFY2(none.has_value(), qPrintable(sentence(none)));
    QCOMPARE((*none)[1].shape(), Shape({0, 4}));
  }

  void a_loop_ends_by_its_condition_or_is_ended() {
    Lines lines{"a2 = Add a a", "most_of = ReduceMax a2", "next = Less most_of limit"};
    ImportedModel model = loop_model(lines, {"next", "a2"}, {});
    auto& attribute = model.graph.nodes[0].attributes["body"];
    ForeignGraph graph = *std::get<ForeignBody>(attribute);
    graph.nodes[1].attributes["keepdims"] = int64_t(0);
    attribute = std::make_shared<ForeignGraph const>(graph);
    model.graph.initializers["limit"] = numbers(DType::kF32, {}, {100});
    auto outputs = run(model, {floats({1, 2, 3, 4})});
    QVERIFY2(outputs.has_value(), qPrintable(sentence(outputs)));
    QCOMPARE(elements((*outputs)[0]), (std::vector<double>{32, 64, 96, 128}));
    ImportedModel endless = loop_model({"a2 = Neg a", "next = Identity c"}, {"next", "a2"}, {});
    auto built = build_graph(endless);
    QVERIFY(sentence(reference_run(*built, {floats({1, 2, 3, 4})})).endsWith("iterations"));
  }

  void a_loop_may_carry_what_grows() {
    ImportedModel model = loop_model({"a2 = Concat a x", "next = Identity c"}, {"next", "a2"}, 2);
    auto& attribute = model.graph.nodes[0].attributes["body"];
    ForeignGraph graph = *std::get<ForeignBody>(attribute);
    graph.nodes[0].attributes["axis"] = int64_t(0);
    attribute = std::make_shared<ForeignGraph const>(graph);
    auto outputs = run(model, {floats({1, 2, 3, 4})});
    QVERIFY2(outputs.has_value(), qPrintable(sentence(outputs)));
    QCOMPARE((*outputs)[0].shape(), Shape({12}));
  }

  void a_scan_walks_rows_and_carries_a_state() {
    ForeignGraph graph = model_of({"s2 = Add s r", "o = Neg s2"}, {}, {"s2", "o"}).graph;
    graph.inputs = {declared("s", DType::kF32, {2}), declared("r", DType::kF32, {2})};
    for (bool backward : {false, true}) {
      ImportedModel model = model_of({"y,rows = Scan start x"}, {3, 2}, {"y", "rows"});
      model.graph.nodes[0].attributes = {{"body", std::make_shared<ForeignGraph const>(graph)},
                                         {"num_scan_inputs", int64_t(1)}};
      if (backward)
        for (char const* name : {"scan_input_directions", "scan_output_directions"})
          model.graph.nodes[0].attributes[name] = std::vector<int64_t>{1};
      model.graph.initializers["start"] = floats({0, 0});
      auto outputs = run(model, {numbers(DType::kF32, {3, 2}, {1, 2, 3, 4, 5, 6})});
      QVERIFY2(outputs.has_value(), qPrintable(sentence(outputs)));
      QCOMPARE(elements((*outputs)[0]), (std::vector<double>{9, 12}));
      QCOMPARE(elements((*outputs)[1]), backward ? (std::vector<double>{-9, -12, -8, -10, -5, -6})
                                                 : (std::vector<double>{-1, -2, -4, -6, -9, -12}));
    }
  }

  void a_graph_that_does_not_take_what_its_node_captures_is_invalid() {
    Graph graph = build_graph(relu_or_neg()).value();
    Graph body = *graph.nodes[0].sub_graphs[0];
    body.inputs.clear();
    graph.nodes[0].sub_graphs[0] = std::make_shared<Graph const>(body);
    QCOMPARE(sentence(verify(graph)),
             QString("node y: one of its graphs does not take what it captures"));
  }
};

QTEST_GUILESS_MAIN(ControlTest)
#include "control_test.moc"
