/// Small models that own graphs: branches, loops, scans, and those inside of one another.
#pragma once

#include "tests/support/body_models.h"

namespace tw::testing {

inline NDArray truth(bool value) { return numbers(DType::kBool, {}, {value ? 1. : 0.}); }
inline NDArray count(int64_t value) { return numbers(DType::kI64, {}, {double(value)}); }

inline ImportedModel with_inputs(ImportedModel model, std::vector<ForeignValue> const& more) {
  model.graph.inputs.insert(model.graph.inputs.end(), more.begin(), more.end());
  return model;
}

inline ImportedModel if_model(Lines const& lines, Lines const& outputs, Body then, Body otherwise,
                              size_t node) {
  ImportedModel model =
      with_inputs(model_of(lines, {4}, outputs), {declared("c", DType::kBool, {})});
  model.graph.nodes[node].attributes = {{"then_branch", then}, {"else_branch", otherwise}};
  return model;
}

/// What a branch makes, and what it only hands through: a captured value, a value twice.
inline ImportedModel choice() {
  return if_model({"s = Add x x", "p,q,r = If c", "z = Neg p"}, {"z", "q", "r", "p"},
                  body({"m = Mul s s"}, {"m", "s", "m"}),
                  body({"e = Exp s", "f = Neg e"}, {"f", "e", "x"}), 1);
}

inline ImportedModel nested() {
  Body inner = body({"y1 = If d"}, {"y1"});
  auto graph = std::make_shared<ForeignGraph>(*inner);
  graph->nodes[0].attributes = {{"then_branch", body({"a = Exp s", "b = Mul a x"}, {"b"})},
                                {"else_branch", body({"a = Neg s"}, {"a"})}};
  ImportedModel model = if_model({"s = Add x x", "y = If c", "z = Add y s"}, {"z"}, graph,
                                 body({"k = Abs x"}, {"k"}), 1);
  model.graph.inputs.push_back(declared("d", DType::kBool, {}));
  return model;
}

inline std::vector<ForeignValue> loop_inputs(Lines const& states) {
  std::vector<ForeignValue> inputs{declared("i", DType::kI64, {}), declared("g", DType::kBool, {})};
  for (std::string const& state : states) inputs.push_back(declared(state, DType::kF32, {4}));
  return inputs;
}

/// Two states change places each round, one counts; rows are gathered of what a round makes and of
/// what it got.
inline ImportedModel loop(bool known_rounds) {
  Lines outputs = known_rounds ? Lines{"a", "b", "n", "rows", "old"} : Lines{"a", "b", "n"};
  ImportedModel model =
      model_of({"s = Exp x",
                known_rounds ? "a,b,n,rows,old = Loop most go x s x" : "a,b,n = Loop most go x s x",
                "t = Add a b"},
               {4}, outputs);
  model.graph.outputs.push_back({"t", ForeignKind::kTensor, std::nullopt, std::nullopt});
  Lines made = known_rounds ? Lines{"next", "v", "u", "m", "w", "u"} : Lines{"next", "v", "u", "m"};
  model.graph.nodes[1].attributes["body"] =
      body({"m = Add k s", "w = Mul m u", "next = Identity g"}, made, loop_inputs({"u", "v", "k"}));
  model.graph.initializers["go"] = truth(true);
  if (known_rounds) {
    model.graph.initializers["most"] = count(3);
    return model;
  }
  return with_inputs(model, {declared("most", DType::kI64, {})});
}

/// While the sum is below a bound, by the condition alone.
inline ImportedModel condition_loop() {
  ImportedModel model = model_of({"y = Loop  go x"}, {4}, {"y"});
  model.graph.nodes[0].inputs = {"", "go", "x"};
  model.graph.nodes[0].attributes["body"] =
      body({"a2 = Add a a", "sum = ReduceSum a2", "next = Less sum bound"}, {"next", "a2"},
           loop_inputs({"a"}));
  auto graph =
      std::make_shared<ForeignGraph>(*std::get<Body>(model.graph.nodes[0].attributes["body"]));
  graph->nodes[1].attributes["keepdims"] = int64_t(0);
  model.graph.nodes[0].attributes["body"] = Body(graph);
  model.graph.initializers["bound"] = numbers(DType::kF32, {}, {100});
  return with_inputs(model, {declared("go", DType::kBool, {})});
}

/// Running sums from the last column, written as columns; rows as they come.
inline ImportedModel scan() {
  ImportedModel model = model_of({"end,sums,rows = Scan h x"}, {4, 3}, {"end", "sums", "rows"});
  ForeignNode& node = model.graph.nodes[0];
  node.attributes["num_scan_inputs"] = int64_t(1);
  node.attributes["scan_input_axes"] = std::vector<int64_t>{1};
  node.attributes["scan_input_directions"] = std::vector<int64_t>{1};
  node.attributes["scan_output_axes"] = std::vector<int64_t>{1, 0};
  node.attributes["scan_output_directions"] = std::vector<int64_t>{1, 0};
  node.attributes["body"] =
      body({"n = Add k row", "o = Identity n", "p = Neg row"}, {"n", "o", "p"},
           {declared("k", DType::kF32, {4}), declared("row", DType::kF32, {4})});
  return with_inputs(model, {declared("h", DType::kF32, {4})});
}

/// A loop in a branch, with a choice in its body.
inline ImportedModel loop_in_a_branch() {
  auto choice = std::make_shared<ForeignGraph>(
      *body({"w = If d", "next = Identity g"}, {"next", "w"}, loop_inputs({"a"})));
  choice->nodes[0].attributes = {{"then_branch", body({"e = Add a s"}, {"e"})},
                                 {"else_branch", body({"e = Sub a x"}, {"e"})}};
  auto then = std::make_shared<ForeignGraph>(*body({"y1 = Loop most c s"}, {"y1"}));
  then->nodes[0].attributes["body"] = Body(choice);
  ImportedModel model =
      if_model({"s = Add x x", "y = If c"}, {"y"}, then, body({"k = Abs x"}, {"k"}), 1);
  model.graph.initializers["most"] = count(5);
  model.graph.inputs.push_back(declared("d", DType::kBool, {}));
  return model;
}

}  // namespace tw::testing
