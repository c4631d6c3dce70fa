// Functions that an ONNX file defines: their nodes stand in the place of the calls.
#include <onnx.pb.h>

#include <QtTest>

#include "engine/graph/reference.h"
#include "engine/importers/from_foreign.h"
#include "engine/importers/onnx/reader.h"

using namespace tw;

namespace {

/// "y = LeakyRelu x": a node of the list, with the attributes given.
onnx::NodeProto& add(google::protobuf::RepeatedPtrField<onnx::NodeProto>& nodes, char const* line,
                     char const* domain = "") {
  QStringList words = QString(line).split(' ');
  onnx::NodeProto& node = *nodes.Add();
  for (QString const& output : words[0].split(',')) node.add_output(output.toStdString());
  node.set_op_type(words[2].toStdString());
  node.set_domain(domain);
  for (int i = 3; i < words.size(); ++i)
    node.add_input(words[i] == "-" ? "" : words[i].toStdString());
  return node;
}

onnx::AttributeProto& set(onnx::NodeProto& node, char const* name, float value) {
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::FLOAT);
  attribute.set_f(value);
  return attribute;
}

onnx::FunctionProto& function(onnx::ModelProto& model, char const* name,
                              std::vector<char const*> const& inputs,
                              std::vector<char const*> const& outputs) {
  onnx::FunctionProto& made = *model.add_functions();
  made.set_name(name);
  made.set_domain("own");
  for (char const* input : inputs) made.add_input(input);
  for (char const* output : outputs) made.add_output(output);
  made.add_opset_import()->set_version(13);
  return made;
}

/// An input x of four floats, the output y.
onnx::ModelProto model_of() {
  onnx::ModelProto model;
  auto* opset = model.add_opset_import();
  opset->set_domain("own");
  opset->set_version(1);
  for (auto* info : {model.mutable_graph()->add_input(), model.mutable_graph()->add_output()})
    info->mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
  model.mutable_graph()->mutable_input(0)->set_name("x");
  model.mutable_graph()->mutable_output(0)->set_name("y");
  auto* shape = model.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type();
  shape->mutable_shape()->add_dim()->set_dim_value(4);
  return model;
}

/// leaky(a) -> b with the attribute "slope": b = Neg(LeakyRelu(a, alpha=slope))
void add_leaky(onnx::ModelProto& model) {
  onnx::FunctionProto& leaky = function(model, "leaky", {"a"}, {"b"});
  leaky.add_attribute("slope");
  onnx::AttributeProto& alpha = set(add(*leaky.mutable_node(), "t = LeakyRelu a"), "alpha", 0);
  alpha.clear_f();
  alpha.set_ref_attr_name("slope");
  add(*leaky.mutable_node(), "b = Neg t");
}

QString sentence(auto const& result) {
  return result ? QString() : QString::fromStdString(to_sentence(result.error()));
}

Result<std::vector<double>> run(onnx::ModelProto const& model) {
  TRY_ASSIGN(ImportedModel foreign, read_onnx(model.SerializeAsString(), "m.onnx"));
  TRY_ASSIGN(Graph graph, build_graph(foreign));
  NDArray x = NDArray::create(DType::kF32, {4}).value();
  for (int64_t i = 0; i < 4; ++i) x.set_value(i, double(i - 2) * 8);
  TRY_ASSIGN(std::vector<NDArray> outputs, reference_run(graph, {x}));
  std::vector<double> list;
  for (int64_t i = 0; i < outputs[0].size(); ++i) list.push_back(outputs[0].value_at(i));
  return list;
}

using List = std::vector<double>;

}  // namespace

class FunctionsTest : public QObject {
  Q_OBJECT
private slots:
  void a_call_becomes_the_nodes_of_its_function() {
    onnx::ModelProto model = model_of();
    add_leaky(model);
    auto& nodes = *model.mutable_graph()->mutable_node();
    set(add(nodes, "t = leaky x", "own"), "slope", 0.5);  // "t" is a name of the function's, too
    set(add(nodes, "y = leaky t", "own"), "slope", 0.25);
    auto values = run(model);
    QVERIFY2(values.has_value(), qPrintable(sentence(values)));
    QCOMPARE(*values, (List{-8, -4, 0, 2}));
  }

  void an_attribute_that_nobody_gives_has_its_default() {
    onnx::ModelProto model = model_of();
    add_leaky(model);
    add(*model.mutable_graph()->mutable_node(), "y = leaky x", "own");
    QCOMPARE(run(model).value(), (List{16 * 0.01F, 8 * 0.01F, 0, -8}));  // LeakyRelu's own
    // The function's default is in a field that is newer than the library.
    onnx::AttributeProto slope;
    slope.set_name("slope");
    slope.set_type(onnx::AttributeProto::FLOAT);
    slope.set_f(0.5);
    std::string bytes = slope.SerializeAsString();
    model.mutable_functions(0)->mutable_unknown_fields()->append(std::string("\x5a") +
                                                                 char(bytes.size()) + bytes);
    QCOMPARE(run(model).value(), (List{8, 4, 0, -8}));
  }

  void functions_call_functions_and_pass_inputs_through() {
    onnx::ModelProto model = model_of();
    add_leaky(model);
    onnx::FunctionProto& twice = function(model, "twice", {"a", "unused"}, {"b", "a"});
    set(add(*twice.mutable_node(), "m = leaky a", "own"), "slope", 0.5);
    set(add(*twice.mutable_node(), "b = leaky m", "own"), "slope", 0.5);
    auto& nodes = *model.mutable_graph()->mutable_node();
    add(nodes, "p,q = twice x", "own");
    add(nodes, "y = Add p q");
    auto values = run(model);
    QVERIFY2(values.has_value(), qPrintable(sentence(values)));
    QCOMPARE(*values, (List{-24, -12, 0, 12}));
  }

  void calls_in_graphs_inside_are_expanded() {
    onnx::ModelProto model = model_of();
    add_leaky(model);
    auto& graph = *model.mutable_graph();
    auto* c = graph.add_initializer();
    c->set_name("c");
    c->set_data_type(onnx::TensorProto::BOOL);
    c->add_int32_data(1);
    onnx::NodeProto& choice = add(*graph.mutable_node(), "y = If c");
    for (char const* name : {"then_branch", "else_branch"}) {
      auto* branch = choice.add_attribute();
      branch->set_name(name);
      branch->set_type(onnx::AttributeProto::GRAPH);
      branch->mutable_g()->add_output()->set_name("r");
      set(add(*branch->mutable_g()->mutable_node(), "r = leaky x", "own"), "slope", 0.5);
    }
    auto values = run(model);
    QVERIFY2(values.has_value(), qPrintable(sentence(values)));
    QCOMPARE(*values, (List{8, 4, 0, -8}));
  }

  void what_has_no_end_is_one_sentence() {
    onnx::ModelProto model = model_of();
    add(*function(model, "f", {"a"}, {"b"}).mutable_node(), "b = f a", "own");
    add(*model.mutable_graph()->mutable_node(), "y = f x", "own");
    QCOMPARE(sentence(run(model)), QString("m.onnx: the function 'f' of the file calls itself, or "
                                           "others deeper than 24"));
    // Each calls the one before twice.
    model = model_of();
    add(*function(model, "f0", {"a"}, {"b"}).mutable_node(), "b = Neg a");
    for (int i = 1; i < 23; ++i) {
      auto& nodes =
          *function(model, ("f" + std::to_string(i)).c_str(), {"a"}, {"b"}).mutable_node();
      std::string inner = "f" + std::to_string(i - 1);
      add(nodes, ("m = " + inner + " a").c_str(), "own");
      add(nodes, ("b = " + inner + " m").c_str(), "own");
    }
    add(*model.mutable_graph()->mutable_node(), "y = f22 x", "own");
    QVERIFY(sentence(run(model)).contains("expand to more than 1048576 nodes"));
  }

  void overloads_stay_calls_that_nothing_knows() {
    onnx::ModelProto model = model_of();
    add_leaky(model);
    add_leaky(model);
    add(*model.mutable_graph()->mutable_node(), "y = leaky x", "own");
    QCOMPARE(sentence(run(model)), QString("node y: the operator own.leaky is not supported"));
  }

  void a_tensor_of_an_unread_type_leaves_the_file_readable() {
    onnx::ModelProto model = model_of();
    auto* words = model.mutable_graph()->add_initializer();
    words->set_name("words");
    words->set_data_type(onnx::TensorProto::STRING);
    add(*model.mutable_graph()->mutable_node(), "y = Neg x");
    QCOMPARE(run(model).value(), (List{16, 8, 0, -8}));
    auto foreign = read_onnx(model.SerializeAsString()).value();
    QCOMPARE(
        std::get<std::string>(foreign.graph.nodes[0].attributes.at("reason")),
        std::string("the tensor 'words' has the element type string (8), which is not supported"));
  }
};

QTEST_GUILESS_MAIN(FunctionsTest)
#include "functions_test.moc"
