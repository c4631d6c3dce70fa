// The tables of attributes against ONNX's schemas, and what an attribute does that no table has.
#include <QtTest>

#include <fstream>
#include <map>
#include <sstream>

#include "engine/graph/control.h"
#include "engine/importers/from_foreign.h"
#include "engine/importers/onnx/converters.h"
#include "tests/support/paths.h"

using namespace tw;

namespace {

/// One line of onnx_attributes.txt.
struct Row {
  int since = 1, until = 0;
  std::string otherwise;
};
using Rows = std::map<std::string, std::map<std::string, Row>>;  // by operator and attribute

Rows stored_rows() {
  Rows rows;
  std::ifstream file(testing::source("/tests/graph/onnx_attributes.txt"));
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string op, attribute, until;
    Row row;
    if (line.empty() || line[0] == '#') continue;
    words >> op >> attribute >> row.since >> until >> row.otherwise;
    row.until = until == "-" ? 0 : std::stoi(until);
    rows[op][attribute] = row;
  }
  return rows;
}

using Tables = std::vector<std::pair<std::string, std::vector<KnownAttribute> const*>>;

Tables all_tables() {
  Tables tables;
  for (ConverterList const* list : onnx_converters().lists)
    for (Converter const& rule : *list)
      if (rule.domain.empty()) tables.push_back({rule.type, &rule.attributes});
  return tables;
}

ImportedModel model_of(ForeignNode node, int64_t opset) {
  ImportedModel model;
  model.format = "onnx";
  model.opsets[""] = opset;
  ForeignValue input;
  input.name = "x";
  input.type = DType::kF32;
  input.dims = std::vector<ForeignDim>{{1, ""}, {4, ""}, {4, ""}, {4, ""}};
  model.graph.inputs = {input};
  node.inputs = {"x"};
  node.outputs = {"y"};
  model.graph.nodes = {node};
  ForeignValue output;
  output.name = "y";
  model.graph.outputs = {output};
  return model;
}

QString reason_of(ForeignNode const& node, int64_t opset) {
  auto graph = build_graph(model_of(node, opset));
  return QString::fromStdString(graph ? graph->nodes[0].reason : to_sentence(graph.error()));
}

}  // namespace

class KnownAttributesTest : public QObject {
  Q_OBJECT
private slots:
  void every_attribute_of_the_schemas_is_in_the_table_of_its_operator() {
    Rows rows = stored_rows();
    QVERIFY(rows.size() > 100);
    for (auto const& [op, table] : all_tables()) {
      std::map<std::string, KnownAttribute> known;
      for (KnownAttribute const& attribute : *table) known[attribute.name] = attribute;
      for (auto const& [name, row] : rows[op]) {
        std::string where = op + "." + name;
        QVERIFY2(known.contains(name), where.c_str());
        QVERIFY2(known[name].since == row.since && known[name].until == row.until, where.c_str());
        if (auto const* only = std::get_if<int64_t>(&known[name].only))
          QVERIFY2(std::to_string(*only) == row.otherwise, where.c_str());
      }
    }
  }

  void a_table_has_no_attribute_that_no_schema_has() {
    Rows rows = stored_rows();
    for (auto const& [op, table] : all_tables())
      for (KnownAttribute const& attribute : *table)
        QVERIFY2(rows[op].contains(attribute.name), (op + "." + attribute.name).c_str());
  }

  void an_attribute_away_from_the_value_that_is_understood_is_not_ignored() {
    ForeignNode node;
    node.op_type = "Resize";
    node.attributes = {{"antialias", int64_t(1)}, {"mode", std::string("linear")}};
    QCOMPARE(reason_of(node, 18),
             QString("the attribute antialias of Resize is 1, but only 0 is supported"));
  }

  void an_attribute_that_no_opset_has_is_not_ignored() {
    ForeignNode node;
    node.op_type = "Relu";
    node.attributes = {{"slope", 0.1}};
    QCOMPARE(reason_of(node, 14), QString("the attribute slope of Relu is not known in opset 14"));
  }

  void an_attribute_of_another_opset_is_not_ignored() {
    ForeignNode node;
    node.op_type = "SpaceToDepth";
    node.attributes = {{"blocksize", int64_t(2)}, {"mode", std::string("CRD")}};
    QCOMPARE(reason_of(node, 13),
             QString("the attribute mode of SpaceToDepth is not known in opset 13"));
    QCOMPARE(reason_of(node, 28), QString(""));
  }

  void an_opset_above_the_newest_known_is_said() {
    ForeignNode node;
    node.op_type = "Relu";
    auto newest = build_graph(model_of(node, onnx_converters().newest_opset));
    auto newer = build_graph(model_of(node, onnx_converters().newest_opset + 1));
    QVERIFY(newest && newest->notes.empty());
    QVERIFY(newer && newer->notes.size() == 1);
    QCOMPARE(QString::fromStdString(newer->notes[0]),
             QString("the model uses opset 29, but the newest supported one is 28: later changes "
                     "of operators are not taken into account"));
  }
};

QTEST_GUILESS_MAIN(KnownAttributesTest)
#include "known_attributes_test.moc"
